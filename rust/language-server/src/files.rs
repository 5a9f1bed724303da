//! Names of files as editors write them.

use std::path::{Component, Path, PathBuf};

use chant_store::disk;
use lsp_types::Uri;

/// The file that a name means: one of this machine, decoded once; `None` for anything else.
pub(crate) fn path_of(uri: &Uri) -> Option<PathBuf> {
    let encoded = uri.as_str().strip_prefix("file://")?;
    // With an authority it would be the file of another machine.
    let encoded = encoded
        .starts_with('/')
        .then(|| encoded.split(['?', '#']).next())??;
    let mut bytes = Vec::with_capacity(encoded.len());
    let mut rest = encoded.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
        let (high, low) = (digit(rest.next())?, digit(rest.next())?);
        bytes.push(u8::try_from(high * 16 + low).ok()?);
    }
    let decoded = String::from_utf8(bytes).ok()?;
    let decoded = match decoded.strip_prefix('/') {
        Some(drive) if cfg!(windows) && drive.get(1..2) == Some(":") => drive,
        _ => &decoded,
    };
    let path = PathBuf::from(decoded);
    let is_plain = |part: Component<'_>| !matches!(part, Component::ParentDir);
    let is_wanted =
        path.is_absolute() && !decoded.contains('\0') && path.components().all(is_plain);
    is_wanted.then_some(path)
}

/// The name of a file for editors.
pub(crate) fn uri_of(path: &Path) -> Option<Uri> {
    let shown = path.to_str()?.replace('\\', "/");
    let mut uri = String::from(if shown.starts_with('/') {
        "file://"
    } else {
        "file:///"
    });
    for byte in shown.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            uri.push(byte.into());
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri.parse().ok()
}

/// A path whose folder is a real one: what a link on the way means is known then.
pub(crate) fn settled(path: &Path) -> Option<PathBuf> {
    let folder = disk::real(path.parent()?).ok()?;
    Some(folder.join(path.file_name()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_other_machines_and_of_no_files_mean_nothing() {
        let path = |text: &str| path_of(&text.parse().unwrap());
        assert_eq!(
            path("file:///a%20b/%C3%BC%2525.md"),
            Some("/a b/ü%25.md".into())
        );
        for text in [
            "file://host/a", "http://a/b", "untitled:a", "file:///a/../b", "file:///a%00b",
            "file:///%ff", "file:///a/%2e%2e/b",
        ] {
            assert_eq!(path(text), None, "{text}");
        }
        let odd = Path::new("/a b/ü%25#?.md");
        assert_eq!(path_of(&uri_of(odd).unwrap()).as_deref(), Some(odd));
    }
}
