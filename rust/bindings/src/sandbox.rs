//! The launcher of confined processes, for the program that is one.

use std::io;

use pyo3::prelude::*;

/// Does what an order says, or else what the socket in place of standard input orders; `fork` is that of
/// `posix`, and `restore_signals` stops ignoring signals. It returns in each process that it starts and that
/// does not become the confined one: the exit code with which that process has to end, and the signal that
/// has to end it, if one has to.
#[cfg(target_os = "linux")]
#[pyfunction]
#[pyo3(signature = (fork, restore_signals, order = None))]
pub(crate) fn launch_sandbox(
    fork: &Bound<'_, PyAny>,
    restore_signals: &Bound<'_, PyAny>,
    order: Option<&[u8]>,
) -> PyResult<(i32, Option<i32>)> {
    use chant_confine::sandbox::{
        ProcessFunctions, ProcessNumber, launch_from_socket, launch_order,
    };
    let mut fork = || {
        let number = fork.call0().and_then(|number| number.extract());
        let number: i32 = number.map_err(io::Error::other)?;
        Ok(ProcessNumber::from_raw(number))
    };
    let mut restore_signals = || {
        let restored = restore_signals.call0();
        restored.map(drop).map_err(io::Error::other)
    };
    let functions = ProcessFunctions {
        fork: &mut fork,
        restore_signals: &mut restore_signals,
    };
    let end = match order {
        Some(order) => launch_order(order, functions),
        None => launch_from_socket(functions),
    }?;
    Ok((end.code, end.signal))
}

/// Does nothing: there are no namespaces on this system.
#[cfg(not(target_os = "linux"))]
#[pyfunction]
#[pyo3(signature = (fork, restore_signals, order = None))]
pub(crate) fn launch_sandbox(
    fork: &Bound<'_, PyAny>,
    restore_signals: &Bound<'_, PyAny>,
    order: Option<&[u8]>,
) -> PyResult<(i32, Option<i32>)> {
    let _ = (fork, restore_signals, order);
    Err(io::Error::from(io::ErrorKind::Unsupported).into())
}
