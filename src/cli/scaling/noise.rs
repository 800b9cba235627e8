//! The machine: processor, processor time, and the share of it that other programs use.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

pub(super) fn processor() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    line.split_once(':').map(|(_, name)| name.trim().to_owned())
}

/// `None` if the system does not measure it.
pub(super) fn cpu_time() -> Option<Duration> {
    #[cfg(unix)]
    {
        clock(nix::time::ClockId::CLOCK_PROCESS_CPUTIME_ID)
    }
    #[cfg(not(unix))]
    None
}

pub(super) fn cpu_time_of(process: u32) -> Option<Duration> {
    #[cfg(target_os = "linux")]
    {
        let process = nix::unistd::Pid::from_raw(i32::try_from(process).ok()?);
        clock(nix::time::ClockId::pid_cpu_clock_id(process).ok()?)
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = process;
        None
    }
}

#[cfg(unix)]
fn clock(id: nix::time::ClockId) -> Option<Duration> {
    let time = nix::time::clock_gettime(id).ok()?;
    Some(Duration::new(u64::try_from(time.tv_sec()).ok()?, u32::try_from(time.tv_nsec()).ok()?))
}

/// Ticks since the start of the system.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct SystemTime {
    busy: u64,
    total: u64,
    processors: u64,
}

impl SystemTime {
    fn read() -> Option<Self> {
        Self::parse(&fs::read_to_string("/proc/stat").ok()?)
    }

    /// See proc_stat(5) for `/proc/stat`. Time stolen by the hypervisor counts as busy.
    fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        let fields = lines.next()?.strip_prefix("cpu ")?.split_whitespace().map(str::parse);
        // `user` and `nice` hold the time of guests already, which is the ninth and tenth.
        let ticks: Vec<u64> = fields.take(8).collect::<Result<_, _>>().ok()?;
        let idle = *ticks.get(3)? + ticks.get(4).copied().unwrap_or_default();
        let total = ticks.iter().sum::<u64>();
        let processors = lines.take_while(|line| line.starts_with("cpu")).count() as u64;
        Some(Self { busy: total.checked_sub(idle)?, total, processors }).filter(|time| time.processors > 0)
    }
}

pub(super) struct NoiseMeter {
    started: Option<(SystemTime, Instant)>,
    /// Time of this process and of `processes`, which are no noise.
    own: Duration,
    processes: Vec<u32>,
}

impl NoiseMeter {
    pub(super) fn start(processes: Vec<u32>) -> Self {
        let own = own_time(&processes);
        Self { started: SystemTime::read().map(|time| (time, Instant::now())), own, processes }
    }

    /// Share of all processors' time since the start, from 0 to 1. Small shares of short times can be negative, because the
    /// system counts in ticks. `None` where the system has no figure, or after less than a tick.
    pub(super) fn others(&self) -> Option<f64> {
        let (before, start) = self.started?;
        let (now, elapsed) = (SystemTime::read()?, start.elapsed().as_secs_f64());
        let own = own_time(&self.processes).saturating_sub(self.own).as_secs_f64();
        share_of_others(before, now, own, elapsed)
    }
}

/// Share of all processors' time. Sleeps for a second.
pub(super) fn others_now() -> Option<f64> {
    let meter = NoiseMeter::start(Vec::new());
    meter.started.as_ref()?;
    thread::sleep(Duration::from_secs(1));
    meter.others()
}

fn own_time(processes: &[u32]) -> Duration {
    let others = processes.iter().filter_map(|&process| cpu_time_of(process));
    cpu_time().into_iter().chain(others).sum()
}

/// Both times are in seconds; `own` is this process's.
fn share_of_others(before: SystemTime, now: SystemTime, own: f64, elapsed: f64) -> Option<f64> {
    let (busy, total) = (now.busy.checked_sub(before.busy)?, now.total.checked_sub(before.total)?);
    (total > 0 && elapsed > 0.0).then(|| busy as f64 / total as f64 - own / (elapsed * now.processors as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn processor_time_is_that_of_all_threads() {
        let before = cpu_time().unwrap();
        let used = move || cpu_time().unwrap().saturating_sub(before);
        // Until the system has given this thread, or those of other tests, some time.
        let spin = move || while used() < Duration::from_millis(1) {};
        std::thread::spawn(spin).join().unwrap();
        assert!(used() >= Duration::from_millis(1));
        assert!(cpu_time_of(std::process::id()).unwrap() > Duration::ZERO);
        assert_eq!(cpu_time_of(u32::MAX), None);
    }

    #[test]
    fn system_time_is_parsed() {
        let text = "cpu  100 20 30 400 50 6 7 8 90 10\ncpu0 1 2 3\ncpu1 1 2 3\nintr 5\n";
        let time = SystemTime::parse(text).unwrap();
        assert_eq!(time, SystemTime { busy: 171, total: 621, processors: 2 });
        for wrong in ["", "cpu 1", "intr 5", "cpu  a b c d\ncpu0 1", "cpu  1 2 3 4 5 6 7 8\nintr 5"] {
            assert_eq!(SystemTime::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn noise_excludes_own_time() {
        let at = |busy, total| SystemTime { busy, total, processors: 2 };
        // Two processors for 10 s: 2000 ticks, 1200 of them busy, and 10 s of the 20 are this program's.
        let share = share_of_others(at(500, 9000), at(1700, 11_000), 10.0, 10.0).unwrap();
        assert!((share - 0.1).abs() < 1e-9, "{share}");
        assert_eq!(share_of_others(at(5, 9), at(5, 9), 0.0, 0.0), None);
        assert_eq!(share_of_others(at(5, 9), at(4, 10), 0.0, 1.0), None);
    }
}
