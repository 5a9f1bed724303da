//! Events of the core on standard error, as `CHANT_MCP_LOG` asks for.

use std::env;
use std::io::{self, Write};

use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, fmt, registry};

/// The variable that turns events on.
const VARIABLE: &str = "CHANT_MCP_LOG";

/// Writes events to standard error from now on, if the environment asks for it. A value that means nothing is
/// reported there once and turns nothing on: it is no reason to fail.
#[expect(
    clippy::disallowed_methods,
    reason = "it turns on what no caller should have to hand over"
)]
pub(crate) fn start() {
    let Some(value) = env::var_os(VARIABLE).filter(|value| !value.is_empty()) else {
        return;
    };
    let value = value.to_string_lossy();
    let targets = value.parse::<Targets>().ok().filter(names_ours);
    let Some(targets) = targets else {
        return report_unknown(&value);
    };
    let lines = fmt::layer()
        .with_writer(io::stderr)
        .with_ansi(false)
        .with_filter(targets);
    // A second module of the same process finds the events turned on.
    let _ = registry().with(lines).try_init();
}

fn report_unknown(value: &str) {
    let _ = writeln!(
        io::stderr(),
        "{VARIABLE}={value:?} is not understood. Expected a level (error, warn, info, debug, trace), or levels of \
         parts such as `chant_spec_runs=debug,chant_git=trace`."
    );
}

/// Returns true if all parts are crates of the core: any other word would turn on nothing.
fn names_ours(targets: &Targets) -> bool {
    targets
        .iter()
        .all(|(target, _)| target.starts_with("chant_"))
}
