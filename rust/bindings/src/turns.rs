//! Long work that needs the interpreter gives it away now and then, so that other threads stand still for no
//! longer than a turn.

use std::time::{Duration, Instant};

use pyo3::prelude::*;
use pyo3::types::PyList;

/// How long the interpreter is kept. A thread that waits for it asks for it after 5 ms, and gets it at the end of a
/// turn.
const LOCK_WAIT: Duration = Duration::from_millis(10);

/// The clock is looked at after so many steps, each of which is short.
const STEPS: u32 = 256;

/// Turns in which the interpreter is kept.
pub(crate) struct InterpreterTurns<'py> {
    py: Python<'py>,
    begin: Instant,
    steps: u32,
}

impl<'py> InterpreterTurns<'py> {
    pub(crate) fn new(py: Python<'py>) -> Self {
        Self {
            py,
            begin: Instant::now(),
            steps: 0,
        }
    }

    /// Notes that a step of the work is done.
    pub(crate) fn step(&mut self) {
        self.steps += 1;
        if self.steps == STEPS {
            self.steps = 0;
            if self.begin.elapsed() >= LOCK_WAIT {
                self.py.detach(|| ());
                self.begin = Instant::now();
            }
        }
    }

    /// The same values, each a step.
    pub(crate) fn over<I: Iterator>(self, values: I) -> InTurns<'py, I> {
        InTurns {
            turns: self,
            values,
        }
    }
}

/// Values of an iterator, each a step of the work.
pub(crate) struct InTurns<'py, I> {
    turns: InterpreterTurns<'py>,
    values: I,
}

impl<I: Iterator> Iterator for InTurns<'_, I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<Self::Item> {
        self.turns.step();
        self.values.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.values.size_hint()
    }
}

impl<I: ExactSizeIterator> ExactSizeIterator for InTurns<'_, I> {}

/// A list of values, made in turns.
pub(crate) fn list_of<'py, T: IntoPyObject<'py>>(
    py: Python<'py>,
    values: impl IntoIterator<Item = T, IntoIter: ExactSizeIterator>,
) -> PyResult<Bound<'py, PyList>> {
    let turns = InterpreterTurns::new(py);
    PyList::new(py, turns.over(values.into_iter()))
}

/// Numbers of a sequence, read in turns.
pub(crate) fn numbers_of(values: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    let numbers = InterpreterTurns::new(values.py()).over(values.try_iter()?);
    numbers.map(|number| number?.extract()).collect()
}
