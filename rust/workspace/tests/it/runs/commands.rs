//! Commands of our own agent: whatever is heard of them, nothing of them goes on.

use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

use chant_work::command::{CommandLimits, CommandRunner};
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
use tempfile::TempDir;

use super::{is_alive, until};

#[test]
fn a_command_that_cannot_be_listened_to_is_ended_with_all_it_started() {
    let folder = TempDir::new().unwrap();
    let script = "sleep 300 & echo $! $$ > pids; echo begun; wait";
    let number = |at: usize| {
        let pids = fs::read_to_string(folder.path().join("pids")).unwrap();
        pids.split_whitespace().nth(at).unwrap().parse().unwrap()
    };
    // Somebody else waits for the command, so that we cannot find out how it ends.
    let mut take_away = || {
        let pid = Pid::from_raw(number(1));
        kill_process(pid.unwrap(), Signal::KILL).unwrap();
        waitpid(pid, WaitOptions::empty()).unwrap();
    };
    let ended = CommandRunner::default().run(
        &["/bin/sh", "-c", script].map(str::to_owned),
        folder.path(),
        &BTreeMap::from([("PATH".to_owned(), "/usr/bin:/bin".to_owned())]),
        CommandLimits {
            time: Duration::from_secs(60),
            kept: 1024,
        },
        &mut take_away,
    );
    assert!(ended.is_err(), "{ended:?}");
    let left = u32::try_from(number(0)).unwrap();
    until(|| !is_alive(left));
}
