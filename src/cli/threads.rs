//! Numbers of threads on the command line, and the cores behind them.

use crate::uci::MAX_THREADS;

/// Returns the number of logical processors that this process may use: its affinity and its control group count.
pub(super) fn logical_cores() -> usize {
    num_cpus::get().max(1)
}

/// Returns the number of physical cores that this process may use. Two hyper-threads of a core count once.
pub(super) fn physical_cores() -> usize {
    num_cpus::get_physical().clamp(1, logical_cores())
}

/// Parses a number of search threads: a number from 1 to [`MAX_THREADS`], or `auto` for one thread on each physical core.
///
/// # Errors
/// When `text` is neither.
pub(super) fn thread_count(text: &str) -> Result<u16, String> {
    let most = u16::try_from(MAX_THREADS).unwrap_or(u16::MAX);
    if text.eq_ignore_ascii_case("auto") {
        return Ok(u16::try_from(physical_cores()).unwrap_or(most).min(most));
    }
    let threads = text.parse().ok().filter(|threads| (1..=most).contains(threads));
    threads.ok_or_else(|| format!("neither auto nor a number from 1 to {most}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn auto_is_one_thread_a_physical_core() {
        assert_eq!(thread_count("auto").map(usize::from), Ok(physical_cores()));
        assert_eq!(thread_count("AUTO"), thread_count("auto"));
        assert!((1..=logical_cores()).contains(&physical_cores()));
    }

    #[test]
    fn other_words_are_refused() {
        assert_eq!((thread_count("1"), thread_count("1024")), (Ok(1), Ok(1024)));
        for word in ["0", "1025", "-1", "", "all", "2x", "70000"] {
            assert_eq!(thread_count(word), Err("neither auto nor a number from 1 to 1024".to_owned()), "{word}");
        }
    }
}
