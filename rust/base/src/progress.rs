//! How far long work is, reported while it is under way to the caller who asked for it.
//!
//! Who asks sets a sink for its own thread; work of many equal steps has a meter, which finds the sink when the
//! work begins and may be stepped by any thread. Nothing is reported in the first second.

use std::cell::RefCell;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Work that ends sooner is not reported.
const QUIET: Duration = Duration::from_secs(1);

/// After so long it is reported at the next step.
const OFTEN: Duration = Duration::from_millis(250);

/// After one part of so many it is reported at once.
const MAX_PARTS: usize = 20;

/// Takes what is done, how many steps of it are, and how many there are.
pub type ProgressSink = Arc<dyn Fn(&str, usize, usize) + Send + Sync>;

thread_local! {
    static SINK: RefCell<Option<ProgressSink>> = const { RefCell::new(None) };
}

/// Has work that this thread begins from now on report to a sink, or to none; returns the one before.
pub fn report_to(sink: Option<ProgressSink>) -> Option<ProgressSink> {
    SINK.with(|known| known.replace(sink))
}

/// The steps of some work.
pub struct ProgressMeter {
    sink: Option<ProgressSink>,
    name: &'static str,
    total: usize,
    done: AtomicUsize,
    started: Instant,
    /// When it was reported last, and how many steps were done.
    reported: Mutex<(Instant, usize)>,
}

impl ProgressMeter {
    /// Begins work of so many steps; its name says what is done, as in "Reading files".
    pub fn begin(name: &'static str, total: usize) -> Self {
        let now = Instant::now();
        Self {
            sink: SINK.with(|sink| sink.borrow().clone()),
            name,
            total,
            done: AtomicUsize::new(0),
            started: now,
            reported: Mutex::new((now, 0)),
        }
    }

    /// Notes that one more step is done.
    pub fn step(&self) {
        let done = self.done.fetch_add(1, Relaxed) + 1;
        let Some(sink) = &self.sink else { return };
        let now = Instant::now();
        // While one thread reports, the others go on.
        if now - self.started >= QUIET
            && let Ok(mut reported) = self.reported.try_lock()
            && is_due(*reported, (now, done), self.total)
        {
            *reported = (now, done);
            sink(self.name, done, self.total);
        }
    }
}

/// Returns true if enough time has passed or enough steps were done since a report, or the last of work that was
/// reported before is done.
fn is_due(reported: (Instant, usize), now: (Instant, usize), total: usize) -> bool {
    let steps = now.1.saturating_sub(reported.1);
    let is_end = now.1 >= total && reported.1 > 0;
    is_end || now.0 - reported.0 >= OFTEN || steps * MAX_PARTS >= total.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_due_after_a_part_or_a_while() {
        let started = Instant::now();
        let after = |milliseconds, steps| (started + Duration::from_millis(milliseconds), steps);
        for (now, expected) in [
            (after(10, 4), false),
            (after(10, 5), true),
            (after(249, 1), false),
            (after(250, 1), true),
        ] {
            assert_eq!(is_due((started, 0), now, 100), expected, "{now:?}");
        }
        assert!(is_due((started, 99), after(1, 100), 100), "the end");
    }

    #[test]
    fn work_reports_to_the_sink_of_its_thread_once_it_takes_long() {
        let reports = Arc::new(Mutex::new(Vec::new()));
        let sink: ProgressSink = {
            let reports = Arc::clone(&reports);
            Arc::new(move |name, done, total| {
                reports.lock().unwrap().push((name.to_owned(), done, total));
            })
        };
        let before = report_to(Some(sink));
        let mut meter = ProgressMeter::begin("Reading", 4);
        report_to(before);
        meter.step();
        assert_eq!(*reports.lock().unwrap(), [], "it has just started");
        let Some(earlier) = meter.started.checked_sub(QUIET) else {
            return; // a machine that was just started
        };
        meter.started = earlier;
        std::thread::scope(|scope| {
            scope.spawn(|| meter.step());
        });
        assert_eq!(*reports.lock().unwrap(), [("Reading".to_owned(), 2, 4)]);
        let silent = ProgressMeter::begin("Reading", 1);
        silent.step();
        assert_eq!(reports.lock().unwrap().len(), 1);
    }
}
