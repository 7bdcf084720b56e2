//! Days of the proleptic Gregorian calendar, counted from 1970-01-01.

/// The day that a cell's text begins with: `YYYY-MM-DD`, alone or with a time after a `T` or a blank.
pub(crate) fn parse(text: &[u8]) -> Option<i32> {
    let text = text.trim_ascii();
    let (date, rest) = text.split_at_checked(10)?;
    if !(rest.is_empty() || matches!(rest[0], b'T' | b't' | b' ')) || date[4] != b'-' || date[7] != b'-' {
        return None;
    }
    let number = |digits: &[u8]| {
        digits
            .iter()
            .try_fold(0, |value, byte| byte.is_ascii_digit().then(|| value * 10 + i32::from(byte - b'0')))
    };
    let (year, month, day) = (number(&date[..4])?, number(&date[5..7])?, number(&date[8..])?);
    let days = from_civil(year, month, day);
    // A day that does not exist, such as 30 February, comes back as another one.
    ((1..=12).contains(&month) && to_civil(days) == (year, month, day)).then_some(days)
}

/// The text `YYYY-MM-DD` of a day.
pub(crate) fn text(days: i32) -> String {
    let (year, month, day) = to_civil(days);
    format!("{year:04}-{month:02}-{day:02}")
}

/// The year, month and day of a day. Years begin in March here, so that leap days come last.
pub(crate) fn to_civil(days: i32) -> (i32, i32, i32) {
    const ERA: i64 = 146_097;
    let shifted = i64::from(days) + 719_468;
    let (era, day_of_era) = (shifted.div_euclid(ERA), shifted.rem_euclid(ERA));
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year as i32, month as i32, day as i32)
}

/// The text of a timestamp: a day, and the time if there is one.
pub(crate) fn timestamp(value: i64, ticks: i64) -> String {
    const SECONDS: i64 = 86_400;
    let (days, rest) = (value.div_euclid(SECONDS * ticks), value.rem_euclid(SECONDS * ticks));
    let (seconds, fraction) = (rest / ticks, rest % ticks);
    // Beyond the days of 32 bits there is no calendar: an empty text is null.
    let Ok(days) = i32::try_from(days) else { return String::new() };
    let time = format!("{}T{:02}:{:02}:{:02}", text(days), seconds / 3600, seconds / 60 % 60, seconds % 60);
    if fraction == 0 {
        return time;
    }
    let digits = ticks.ilog10() as usize;
    format!("{time}.{fraction:0digits$}").trim_end_matches('0').to_owned()
}

fn from_civil(year: i32, month: i32, day: i32) -> i32 {
    let year = year - i32::from(month <= 2);
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_day_of_four_centuries_comes_back() {
        let first = parse(b"1800-01-01").unwrap();
        for days in first..first + 146_097 {
            assert_eq!(parse(text(days).as_bytes()), Some(days));
        }
        assert_eq!(parse(b"1970-01-01"), Some(0));
        assert_eq!(to_civil(11_016), (2000, 2, 29));
    }

    #[test]
    fn other_texts_are_no_days() {
        assert_eq!(parse(b"2024-05-06T07:08:09Z"), parse(b" 2024-05-06 "));
        for bad in [
            "",
            "2023-02-29",
            "2024-13-01",
            "2024-00-10",
            "2024-1-1",
            "24-01-01",
            "2024/01/01",
            "2024-01-011",
            "2024-01-0x",
        ] {
            assert_eq!(parse(bad.as_bytes()), None, "{bad}");
        }
    }

    #[test]
    fn timestamps_are_days_and_times() {
        assert_eq!(timestamp(-1, 1_000), "1969-12-31T23:59:59.999");
        assert_eq!(timestamp(86_400_000_000, 1_000_000), "1970-01-02T00:00:00");
        assert_eq!(timestamp(1_500_000_000, 1_000_000_000), "1970-01-01T00:00:01.5");
    }
}
