//! `lastbit fmt`.

use std::fs;

use crate::common::{assert_refused, code, folder, lastbit, names_in, on_pipe, output, put, stderr, stdout};

#[test]
fn fmt_changes_files_in_place_and_only_if_needed() {
    let folder = folder();
    let ugly = "function f(x:f64 in [1,2])->f64{return (x+1)*2}";
    let path = put(&folder, "f.lb", ugly);
    let fmt = |options: &str| output(lastbit(&format!("fmt {options}")).arg(&path));
    let check = fmt("--check");
    assert_eq!((code(&check), stdout(&check)), (1, ""));
    assert!(stderr(&check).contains("f.lb would change"));
    assert_eq!(fs::read_to_string(&path).expect("the file"), ugly);
    assert_eq!(code(&fmt("")), 0);
    let pretty = fs::read_to_string(&path).expect("the file");
    assert_eq!(code(&fmt("--check")), 0);
    assert_eq!(names_in(folder.path()), ["f.lb"]);
    let piped = on_pipe("fmt -", ugly.as_bytes());
    assert_eq!((code(&piped), stdout(&piped)), (0, pretty.as_str()));
}

#[test]
fn fmt_leaves_alone_what_it_can_not_read() {
    let folder = folder();
    let latin1 = b"// caf\xe9\nfunction f(x:f64 in [1,2])->f64{return x}".to_vec();
    let broken = b"function f(x: f64".to_vec();
    let paths = [put(&folder, "latin1.lb", &latin1), put(&folder, "broken.lb", &broken)];
    let good = put(&folder, "good.lb", "function f(x:f64 in [1,2])->f64{return x}");
    let output = output(lastbit("fmt").args(&paths).arg(&good));
    assert_refused(&output, "one that is not UTF-8, and one that is not a file of the language");
    assert_eq!(fs::read(&paths[0]).expect("the file"), latin1);
    assert_eq!(fs::read(&paths[1]).expect("the file"), broken);
    assert!(fs::read_to_string(&good).expect("the file").contains("\n{\n"), "the others are formatted");
}

#[cfg(unix)]
#[test]
fn fmt_keeps_links_and_permissions() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = folder();
    let path = put(&folder, "f.lb", "function f(x:f64 in [1,2])->f64{return x}");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("permissions");
    let link = folder.path().join("link.lb");
    symlink(&path, &link).expect("a link");
    assert_eq!(code(&output(lastbit("fmt").arg(&link))), 0);
    assert!(fs::symlink_metadata(&link).expect("the link").is_symlink());
    let metadata = fs::metadata(&path).expect("the file");
    assert_eq!(metadata.permissions().mode() & 0o777, 0o640);
    assert!(fs::read_to_string(&path).expect("the file").contains("\n{\n"));
}
