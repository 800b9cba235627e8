//! The machine: processor, load, processor time.

use std::fs;
use std::time::Duration;

/// The processor's name, where the system tells it.
pub fn processor() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    line.split_once(':').map(|(_, name)| name.trim().replace(['\n', '\r'], " "))
}

/// Returns the average number of runnable threads in the last minute; `None` where the system has no figure.
pub fn load() -> Option<f64> {
    fs::read_to_string("/proc/loadavg").ok()?.split(' ').next()?.parse().ok()
}

/// The processor time that this process has had, all its threads together; none where the system does not tell.
pub fn cpu_time() -> Option<Duration> {
    #[cfg(unix)]
    {
        let time = nix::time::clock_gettime(nix::time::ClockId::CLOCK_PROCESS_CPUTIME_ID).ok()?;
        Some(Duration::new(u64::try_from(time.tv_sec()).ok()?, u32::try_from(time.tv_nsec()).ok()?))
    }
    #[cfg(not(unix))]
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn processor_time_is_that_of_all_threads() {
        let spin = || {
            let start = std::time::Instant::now();
            while start.elapsed() < Duration::from_millis(50) {
                std::hint::spin_loop();
            }
        };
        let before = cpu_time().unwrap();
        std::thread::spawn(spin).join().unwrap();
        // Other tests run meanwhile, or keep it from running.
        assert!(cpu_time().unwrap() - before >= Duration::from_millis(1));
    }
}
