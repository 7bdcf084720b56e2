//! Where the file is: whether locks and syncs can be relied on there.

use std::path::Path;

use crate::Error;

/// Refuses a network file system, on Linux. Elsewhere it is not noticed, as `docs/ledger.md` says.
pub(crate) fn refuse_network(path: &Path) -> Result<(), Error> {
    match network_kind(path)? {
        Some(kind) => Err(Error::Network { path: path.to_owned(), kind }),
        None => Ok(()),
    }
}

#[cfg(target_os = "linux")]
fn network_kind(path: &Path) -> Result<Option<&'static str>, Error> {
    let about = rustix::fs::statfs(path).map_err(|error| Error::Io {
        path: path.to_owned(),
        doing: "asking for the kind of file system",
        reason: error.to_string(),
    })?;
    // The kernel has 32 bits; on some machines the field is wider and the number is extended by its sign.
    Ok(kind_of(about.f_type as u32))
}

#[cfg(not(target_os = "linux"))]
fn network_kind(_: &Path) -> Result<Option<&'static str>, Error> {
    Ok(None)
}

/// The file systems of linux/magic.h whose locks depend on another machine. FUSE is among them, because sshfs and its like cannot be told
/// from local ones.
#[cfg(target_os = "linux")]
fn kind_of(magic: u32) -> Option<&'static str> {
    let kinds = [
        (0x0000_6969, "NFS"),
        (0xFF53_4D42, "CIFS"),
        (0xFE53_4D42, "SMB2"),
        (0x0000_517B, "SMB"),
        (0x6573_5546, "FUSE"),
        (0x0102_1997, "9P"),
        (0x5346_414F, "AFS"),
        (0x6B41_4653, "AFS"),
        (0x00C3_6400, "Ceph"),
        (0x7375_7245, "Coda"),
        (0x0000_564C, "NCP"),
        (0x0BD0_0BD0, "Lustre"),
        (0x4750_4653, "GPFS"),
        (0x1983_0326, "BeeGFS"),
        (0x786F_4256, "VirtualBox shared folder"),
    ];
    kinds.into_iter().find(|(number, _)| *number == magic).map(|(_, name)| name)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// Sign extension must not hide CIFS, whose number has the highest bit set.
    #[test]
    fn network_file_systems_are_known_by_their_numbers() {
        assert_eq!(kind_of(0x6969), Some("NFS"));
        assert_eq!(kind_of(i64::from(0xFF53_4D42_u32 as i32) as u32), Some("CIFS"));
        for local in [0xEF53, 0x5846_5342, 0x9123_683E, 0x0102_1994, 0x794C_7630] {
            assert_eq!(kind_of(local), None, "{local:x}");
        }
        assert_eq!(network_kind(Path::new("/proc")), Ok(None));
        assert!(matches!(network_kind(Path::new("/no/such/file")), Err(Error::Io { .. })));
    }
}
