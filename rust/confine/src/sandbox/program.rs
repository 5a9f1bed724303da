//! Continues as a program.

use std::convert::Infallible;
use std::ffi::{CString, OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;

use nix::unistd::execve;
use rustix::io::Errno;

use super::order::SandboxOrder;

/// Replaces this process by the program of an order, which has one; returns why that is not possible.
///
/// `execvp` would run a file that is no program as a script of the shell.
pub(super) fn execute(order: &SandboxOrder) -> io::Error {
    match replaced(order) {
        Ok(never) => match never {},
        Err(error) => error,
    }
}

fn replaced(order: &SandboxOrder) -> io::Result<Infallible> {
    let arguments = c_strings(
        order
            .argv
            .iter()
            .map(|argument| argument.as_bytes().to_vec()),
    )?;
    let environment = c_strings(order.environment.iter().map(|(name, value)| {
        let parts = [name.as_bytes(), value.as_bytes()];
        parts.join(&b'=')
    }))?;
    rustix::process::chdir(&order.folder)?;
    let mut error = Errno::NOENT;
    for path in c_strings(paths(order))? {
        let Err(failure) = execve(&path, &arguments, &environment);
        match Errno::from_raw_os_error(failure as i32) {
            Errno::NOENT | Errno::NOTDIR => {}
            Errno::ACCESS => error = Errno::ACCESS,
            other => return Err(other.into()),
        }
    }
    Err(error.into())
}

/// Returns the paths at which the program may be: in folders of `PATH`, unless it is a path itself.
fn paths(order: &SandboxOrder) -> Vec<Vec<u8>> {
    let program = order
        .argv
        .first()
        .map_or(OsStr::new(""), OsString::as_os_str)
        .as_bytes();
    if program.contains(&b'/') {
        return vec![program.to_vec()];
    }
    let mut variables = order.environment.iter();
    let searched = variables.find(|(name, _)| name == "PATH");
    let folders = searched.map_or(&b""[..], |(_, folders)| folders.as_bytes());
    folders
        .split(|byte| *byte == b':')
        .filter(|folder| !folder.is_empty())
        .map(|folder| [folder, program].join(&b'/'))
        .collect()
}

fn c_strings(texts: impl IntoIterator<Item = Vec<u8>>) -> io::Result<Vec<CString>> {
    let texts = texts.into_iter().map(CString::new);
    Ok(texts.collect::<Result<_, _>>()?)
}
