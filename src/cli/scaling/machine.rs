//! The machine: processor, load, processor time, and the wait for a quiet one.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

/// Share of the processor time above which other programs disturb a measurement.
pub const NOISY: f64 = 0.03;
/// The time over which the noise before a measurement is taken: 200 ticks of the system's clock for each processor.
const WINDOW: Duration = Duration::from_secs(2);

/// Returns the processor's name, if the system has it.
pub fn processor() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    line.split_once(':').map(|(_, name)| name.trim().replace(['\n', '\r'], " "))
}

/// Returns the average number of runnable threads in the last minute; `None` where the system has no figure.
pub fn load() -> Option<f64> {
    fs::read_to_string("/proc/loadavg").ok()?.split(' ').next()?.parse().ok()
}

/// Returns the processor time of all threads of this process, if the system has it.
pub fn cpu_time() -> Option<Duration> {
    #[cfg(unix)]
    {
        clock(nix::time::ClockId::CLOCK_PROCESS_CPUTIME_ID)
    }
    #[cfg(not(unix))]
    None
}

/// Returns the processor time of all threads of another process, if the system has it.
pub fn cpu_time_of(process: u32) -> Option<Duration> {
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

/// The processor time of all processors since the start of the system, in ticks.
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

    /// Parses `/proc/stat`, see proc_stat(5). Time stolen by the hypervisor counts as busy.
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

/// A measurement of the processor time that other programs use.
#[derive(Clone, Debug)]
pub struct NoiseMeter {
    started: Option<(SystemTime, Instant)>,
    /// The processor time of this process and of the processes that belong to it.
    own: Duration,
    processes: Vec<u32>,
}

impl NoiseMeter {
    /// Starts to measure. `processes` belong to this one, and are not noise.
    pub fn start(processes: Vec<u32>) -> Self {
        let own = own_time(&processes);
        Self { started: SystemTime::read().map(|time| (time, Instant::now())), own, processes }
    }

    /// Returns the share of all processors' time since the start that other programs had, from 0 to 1. Small
    /// shares of short times can be negative, because the system counts in ticks. `None` where the system has
    /// no figure, or after less than a tick.
    pub fn others(&self) -> Option<f64> {
        let (before, start) = self.started?;
        let (now, elapsed) = (SystemTime::read()?, start.elapsed().as_secs_f64());
        let own = own_time(&self.processes).saturating_sub(self.own).as_secs_f64();
        share_of_others(before, now, own, elapsed)
    }
}

fn own_time(processes: &[u32]) -> Duration {
    let others = processes.iter().filter_map(|&process| cpu_time_of(process));
    cpu_time().into_iter().chain(others).sum()
}

/// Returns the share of others between two readings `elapsed` seconds apart, in which `own` seconds were used.
fn share_of_others(before: SystemTime, now: SystemTime, own: f64, elapsed: f64) -> Option<f64> {
    let (busy, total) = (now.busy.checked_sub(before.busy)?, now.total.checked_sub(before.total)?);
    (total > 0 && elapsed > 0.0).then(|| busy as f64 / total as f64 - own / (elapsed * now.processors as f64))
}

/// The noise before a measurement.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Quiet {
    /// The share of the processor time that other programs had at the end of the wait; `None` where the system
    /// has no figure.
    pub others: Option<f64>,
    /// The time waited, without the first look.
    pub waited: Duration,
}

/// Waits until other programs use at most [`NOISY`] of the processor time, but not longer than `limit`. Without
/// a limit it only looks. `log` receives a message if it has to wait.
pub fn wait_for_quiet(limit: Duration, log: impl Fn(&str)) -> Quiet {
    let look = |time| {
        let meter = NoiseMeter::start(Vec::new());
        meter.started.as_ref()?;
        thread::sleep(time);
        meter.others()
    };
    wait_until_quiet(limit, look, log)
}

/// Does the same, with `look` for the noise over a time.
fn wait_until_quiet(limit: Duration, mut look: impl FnMut(Duration) -> Option<f64>, log: impl Fn(&str)) -> Quiet {
    let mut others = look(WINDOW);
    let mut waited = Duration::ZERO;
    while let Some(share) = others.filter(|&share| share > NOISY && waited < limit) {
        if waited.is_zero() {
            log(&format!(
                "waiting for a quiet machine, at most {} s: other programs use {:.0} % of the processor time",
                limit.as_secs_f64(),
                100.0 * share
            ));
        }
        let time = WINDOW.min(limit - waited);
        others = look(time);
        waited += time;
    }
    Quiet { others, waited }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[cfg(unix)]
    fn spin() {
        let start = Instant::now();
        while start.elapsed() < Duration::from_millis(50) {
            std::hint::spin_loop();
        }
    }

    #[test]
    #[cfg(unix)]
    fn processor_time_includes_all_threads() {
        let before = cpu_time().unwrap();
        std::thread::spawn(spin).join().unwrap();
        // Other tests take processor time meanwhile.
        assert!(cpu_time().unwrap() - before >= Duration::from_millis(1));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn processor_time_of_another_process() {
        let own = cpu_time_of(std::process::id()).unwrap();
        assert!(own <= cpu_time().unwrap() && own > Duration::ZERO);
        assert_eq!(cpu_time_of(u32::MAX), None);
        let mut idle = std::process::Command::new("sh")
            .args(["-c", "read x"])
            .stdin(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let other = cpu_time_of(idle.id()).unwrap();
        spin();
        assert!(cpu_time_of(idle.id()).unwrap() - other < cpu_time().unwrap() - own, "it only waits");
        drop(idle.stdin.take());
        idle.wait().unwrap();
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

    #[test]
    fn waits_until_it_is_quiet_or_the_limit() {
        let wait = |limit: u64, shares: &[Option<f64>]| {
            let (shares, messages) = (RefCell::new(shares.iter()), RefCell::new(Vec::new()));
            let look = |_| *shares.borrow_mut().next().unwrap();
            let quiet = wait_until_quiet(Duration::from_secs(limit), look, |line| {
                messages.borrow_mut().push(line.to_owned());
            });
            assert_eq!(shares.into_inner().next(), None, "all were looked at");
            (quiet.others, quiet.waited.as_secs(), messages.into_inner().len())
        };
        assert_eq!(wait(60, &[Some(0.01)]), (Some(0.01), 0, 0));
        assert_eq!(wait(60, &[None]), (None, 0, 0));
        assert_eq!(wait(0, &[Some(0.9)]), (Some(0.9), 0, 0));
        assert_eq!(wait(60, &[Some(0.9), Some(0.5), Some(0.02)]), (Some(0.02), 4, 1));
        assert_eq!(wait(5, &[Some(0.9), Some(0.9), Some(0.9), Some(0.8)]), (Some(0.8), 5, 1));
    }
}
