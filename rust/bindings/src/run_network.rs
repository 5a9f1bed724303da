//! Connections to servers of a run.

use chant_spec_runs::ops as runs;
use pyo3::prelude::*;

/// The loopback that the processes of a run see.
#[pyclass(name = "RunNetwork", frozen, module = "chant_mcp._core")]
pub struct PyRunNetwork(pub(crate) runs::RunNetwork);

#[pymethods]
impl PyRunNetwork {
    /// Connects to a port; returns the number of a descriptor, which belongs to the caller.
    ///
    /// # Errors
    /// `OSError`: nothing listens there.
    fn connect(&self, py: Python<'_>, port: u16) -> PyResult<i32> {
        let connected = py.detach(|| self.0.connect(port))?;
        #[cfg(unix)]
        return Ok(std::os::fd::IntoRawFd::into_raw_fd(connected));
        #[cfg(not(unix))]
        return Err(std::io::Error::from(std::io::ErrorKind::Unsupported).into());
    }
}
