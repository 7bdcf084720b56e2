//! Pages of HTML: no scripts, nothing from elsewhere, legible on light and dark and on paper.

/// A page of its own; `body` is HTML already.
pub(crate) fn page(title: &str, style: &str, body: &str) -> String {
    const STYLE: &str = ":root{color-scheme:light dark}body{max-width:720px;margin:2.5rem auto;padding:0 1rem;\
         font:15px/1.5 system-ui,sans-serif;color:#1b1f24;background:#fff}\
         @media(prefers-color-scheme:dark){body{color:#d8dee6;background:#14181d}}";
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width\"><title>{}</title><style>{STYLE}{style}</style></head>\n<body>{body}</body></html>\n",
        escaped(title),
    )
}

/// Text as HTML shows it.
pub(crate) fn escaped(text: &str) -> String {
    let escape = |c: char| match c {
        '&' => "&amp;".to_owned(),
        '<' => "&lt;".to_owned(),
        '>' => "&gt;".to_owned(),
        '"' => "&quot;".to_owned(),
        c => c.to_string(),
    };
    text.chars().map(escape).collect()
}
