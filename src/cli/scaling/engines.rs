//! The searches of Sesame and of other UCI engines, by the same rules.

use std::env;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use sesame_command::CommandError;

use super::arguments::{EngineCommand, EngineSetting};
use super::noise;
use super::process::{CHESS960, DeclaredOption, EngineProcess, ProcessError};
use super::trace::{CompletedDepth, SearchTrace};
use crate::engine::{Affinity, Engine, Info, Limits, NullSink, Options, SmpStrategy};
use crate::position::{Game, Position};

/// The workers clear their histories before a timed search.
const PAUSE: Duration = Duration::from_millis(20);

pub(super) struct SesameEngine {
    engine: Engine,
    lockstep: bool,
    pub(super) messages: Vec<String>,
}

impl SesameEngine {
    /// Has one worker. Workers in lockstep take turns; others run as in a game.
    pub(super) fn new(hash_mib: u32, strategy: SmpStrategy, lockstep: bool) -> Result<Self, CommandError> {
        let (hash_mib, move_overhead) = (hash_mib as usize, Duration::ZERO);
        let options = Options { hash_mib, strategy, lockstep, move_overhead, ..Options::default() };
        let engine = Engine::with_sink(options, Arc::new(NullSink)).map_err(CommandError::failed)?;
        Ok(Self { engine, lockstep, messages: Vec::new() })
    }

    pub(super) fn pin(&mut self) -> Result<(), CommandError> {
        self.engine.set_affinity(Affinity { pin: true, ..Affinity::default() }).map_err(CommandError::failed)
    }

    pub(super) fn set_threads(&mut self, threads: u32) -> Result<(), CommandError> {
        let wanted = threads as usize;
        if self.engine.options().threads != wanted {
            self.engine.set_threads(wanted).map_err(CommandError::failed)?;
            let granted = self.engine.options().threads;
            if granted < wanted {
                let message = format!("the system granted only {granted} of {wanted} threads: measure fewer");
                return Err(CommandError::Failed(message));
            }
            if !self.lockstep {
                // A worker allocates its data in its first search, which should not be timed.
                self.search(&Position::startpos(), Limits { depth: Some(1), ..Limits::default() })?;
            }
        }
        Ok(())
    }

    pub(super) fn search(&mut self, position: &Position, limits: Limits) -> Result<SearchTrace, CommandError> {
        self.engine.new_game();
        if !self.lockstep {
            thread::sleep(PAUSE);
        }
        let cpu_before = noise::cpu_time();
        let report = self.engine.search(&Game::new(position.clone()), limits).map_err(CommandError::failed)?;
        let cpu = noise::cpu_time().zip(cpu_before).map(|(now, before)| now.saturating_sub(before));
        for text in report.messages {
            if !self.messages.contains(&text) {
                self.messages.push(text);
            }
        }
        let step = |info: &Info| {
            let &best = info.line.pv.first()?;
            Some(CompletedDepth { depth: info.line.depth, best, nodes: info.nodes, elapsed: info.elapsed })
        };
        let steps = report.iterations.iter().filter_map(step).collect();
        Ok(SearchTrace { steps, best: report.best, nodes: report.nodes, elapsed: report.elapsed, cpu })
    }
}

/// An engine that inherited such a variable of `mpirun` or `srun` would wait for the other processes of the job.
fn is_of_mpi_job(name: &str) -> bool {
    ["OMPI_COMM_", "OMPI_MCA_ess", "OMPI_MCA_orte_", "PMIX_", "PMI_"].iter().any(|start| name.starts_with(start))
}

/// Limit of each answer, beyond the time of a search.
const ANSWER_LIMIT: Duration = Duration::from_secs(10);
/// Limit of a search to a depth, as a multiple of one thread's time in the calibration.
const SLOWEST: u32 = 20;
/// Nodes per second. A slower search for a number of nodes is given up.
const SLOWEST_SPEED: u64 = 1000;

pub(super) struct ExternalEngine {
    pub(super) process: EngineProcess,
    pub(super) name: String,
    /// Command and set options, for the report.
    pub(super) settings: String,
    pub(super) warnings: Vec<String>,
    threads: u32,
    is_chess960: bool,
    pub(super) max_threads: u32,
    answer_limit: Duration,
}

impl ExternalEngine {
    /// Starts with one thread, a table of `hash_mib` MiB and the options for engine `number` of the command line.
    pub(super) fn start(
        command: &EngineCommand,
        number: usize,
        options: &[EngineSetting],
        hash_mib: u32,
    ) -> Result<Self, ProcessError> {
        let mut program = Command::new(&command.program);
        program.args(&command.arguments).stderr(Stdio::null());
        for (name, _) in env::vars_os().filter(|(name, _)| is_of_mpi_job(&name.to_string_lossy())) {
            program.env_remove(name);
        }
        // Ctrl-C at the terminal is for this process, which then ends the engine.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut program, 0);
        // The engine ends with this thread, however that ends.
        #[cfg(target_os = "linux")]
        // SAFETY: between fork and exec there is one system call, which allocates nothing.
        unsafe {
            std::os::unix::process::CommandExt::pre_exec(&mut program, || {
                Ok(nix::sys::prctl::set_pdeathsig(nix::sys::signal::Signal::SIGKILL)?)
            });
        }
        let mut process = EngineProcess::start(&mut program, ANSWER_LIMIT)?;
        let name = field(process.name.as_deref().unwrap_or(command.file_name()));
        let (mut set, mut warnings) = (Vec::new(), Vec::new());
        match process.option("Hash") {
            Some(hash) => {
                let value = within(hash, i64::from(hash_mib));
                if value != i64::from(hash_mib) {
                    warnings.push(format!("its table has {value} MiB, because it takes no {hash_mib}"));
                }
                set.push(("Hash".to_owned(), value.to_string()));
            }
            None => {
                warnings.push(format!("it has no option Hash, so its table may have another size than {hash_mib} MiB"));
            }
        }
        for setting in options.iter().filter(|setting| setting.is_for(number, command)) {
            match process.option(&setting.name) {
                Some(declared) => set.push((declared.name.clone(), setting.value.clone())),
                None if setting.engine.is_some() => return Err(ProcessError::NoOption(setting.name.clone())),
                None => warnings.push(format!("it has no option {}", setting.name)),
            }
        }
        let threads = process.option("Threads");
        let max_threads =
            threads.map_or(1, |threads| threads.max.and_then(|max| max.try_into().ok()).unwrap_or(u32::MAX));
        if threads.is_some() {
            process.set_option("Threads", "1")?;
        } else {
            warnings.push("it has no option Threads, so only one thread is measured".to_owned());
        }
        let mut settings = command.text.clone();
        for (option, value) in &set {
            process.set_option(option, value)?;
            settings += &format!("; {option}={value}");
        }
        process.wait_until_ready()?;
        let (threads, is_chess960, answer_limit) = (1, false, ANSWER_LIMIT);
        Ok(Self { process, name, settings, warnings, threads, is_chess960, max_threads, answer_limit })
    }

    pub(super) fn set_threads(&mut self, threads: u32) -> Result<(), ProcessError> {
        if threads != self.threads {
            self.process.set_option("Threads", &threads.to_string())?;
            self.process.wait_until_ready()?;
            self.threads = threads;
            // A thread may allocate its data in its first search, which should not be timed.
            let limits = Limits { depth: Some(1), ..Limits::default() };
            self.search(&Position::startpos(), &limits, Duration::ZERO)?;
        }
        Ok(())
    }

    pub(super) fn can_search(&self, position: &Position) -> bool {
        !position.is_chess960() || self.process.option(CHESS960).is_some()
    }

    pub(super) fn search(
        &mut self,
        position: &Position,
        limits: &Limits,
        expected: Duration,
    ) -> Result<SearchTrace, ProcessError> {
        if self.is_chess960 != position.is_chess960() {
            self.is_chess960 = position.is_chess960();
            self.process.set_option(CHESS960, &self.is_chess960.to_string())?;
        }
        self.process.new_game()?;
        thread::sleep(PAUSE);
        let (go, time) = match *limits {
            Limits { move_time: Some(time), .. } => (format!("go movetime {}", time.as_millis().max(1)), time),
            Limits { nodes: Some(nodes), .. } => {
                (format!("go nodes {nodes}"), Duration::from_secs(nodes / SLOWEST_SPEED))
            }
            Limits { depth, .. } => (format!("go depth {}", depth.unwrap_or(1)), expected.saturating_mul(SLOWEST)),
        };
        self.process.search(position, &go, time.saturating_add(self.answer_limit))
    }
}

/// Keeps at most 200 characters. Commas, semicolons, quotes and control characters become blanks.
fn field(text: &str) -> String {
    let keep = |letter: char| if letter.is_control() || ",;\"".contains(letter) { ' ' } else { letter };
    text.trim().chars().take(200).map(keep).collect::<String>().trim_end().to_owned()
}

fn within(option: &DeclaredOption, value: i64) -> i64 {
    let value = value.max(option.min.unwrap_or(value));
    value.min(option.max.unwrap_or(value))
}

#[cfg(test)]
mod tests {
    use super::super::positions::{CalibrationLimit, Positions};
    use super::*;

    fn to_depth(depth: u32) -> Limits {
        Limits { depth: Some(depth), ..Limits::default() }
    }

    fn lockstep() -> SesameEngine {
        SesameEngine::new(1, SmpStrategy::default(), true).unwrap()
    }

    #[test]
    fn calibrated_searches_are_reproducible() {
        let mut engine = lockstep();
        let limit = CalibrationLimit::Nodes(5000);
        for entry in &Positions::built_in().entries[..3] {
            let found = limit.depth(entry, &engine.search(&entry.position, limit.limits()).unwrap()).unwrap();
            assert!(found.nodes < 5000 && found.depth > 2);
            assert_eq!(engine.search(&entry.position, to_depth(found.depth)).unwrap().nodes, found.nodes);
            assert!(engine.search(&entry.position, to_depth(found.depth + 1)).unwrap().nodes >= 5000);
        }
    }

    #[test]
    fn spins_are_clamped() {
        let spin = |min, max| DeclaredOption { min, max, ..DeclaredOption::default() };
        assert_eq!([1, 16, 99].map(|value| within(&spin(Some(2), Some(64)), value)), [2, 16, 64]);
        assert_eq!(within(&spin(None, None), 5), 5);
    }

    #[cfg(unix)]
    mod fakes {
        use super::super::super::process::tests::script;
        use super::*;

        const UCI: &str = "uci) echo 'id name  Fake, 1 '; echo 'option name Threads type spin min 1 max 2'; \
            echo 'option name Hash type spin min 1 max 8'; echo 'option name Style type string'; echo nonsense; echo uciok ;; \
            isready) echo readyok ;;";

        fn engine(cases: &str, options: &[&str]) -> ExternalEngine {
            let command =
                EngineCommand { text: "fake".to_owned(), program: "sh".to_owned(), arguments: script(cases).to_vec() };
            let options: Vec<EngineSetting> = options.iter().map(|text| text.parse().unwrap()).collect();
            ExternalEngine::start(&command, 1, &options, 64).unwrap()
        }

        fn to_depth(engine: &mut ExternalEngine) -> Result<SearchTrace, ProcessError> {
            let limits = Limits { depth: Some(2), ..Limits::default() };
            engine.search(&Position::startpos(), &limits, Duration::from_millis(50))
        }

        const GOOD: &str = "go*) printf '%s\\n' 'info string depth 9 pv a2a3' 'info depth 1 nodes 20 pv e2e4 e7e5' \
            'info depth 2 nodes 50 upperbound pv d2d4' 'info depth 2 multipv 1 nodes 90 pv g1f3' 'info depth 3 currmove e2e4' \
            'info depth 2 multipv 2 nodes 92 pv a2a3' 'info nodes 95' '  bestmove   g1f3 ponder e7e5' ;; ";

        #[test]
        fn good_engines_are_set_up_and_searched() {
            let options = ["Style=solid", "sh:style=wild", "Missing=1", "2:Style=none"];
            let mut engine = engine(&format!("{UCI} {GOOD}"), &options);
            assert_eq!((engine.name.as_str(), engine.max_threads), ("Fake  1", 2));
            assert_eq!(engine.settings, "fake; Hash=8; Style=solid; Style=wild");
            assert_eq!(engine.warnings, ["its table has 8 MiB, because it takes no 64", "it has no option Missing"]);
            engine.set_threads(2).unwrap();
            let trace = to_depth(&mut engine).unwrap();
            let steps: Vec<(u32, u64)> = trace.steps.iter().map(|step| (step.depth, step.nodes)).collect();
            assert_eq!((steps.as_slice(), trace.nodes), ([(1, 20), (2, 90)].as_slice(), 95));
            assert_eq!(trace.best.map(|mv| mv.to_string()), Some("g1f3".to_owned()));
        }

        #[test]
        fn engines_without_threads_and_names_are_measured() {
            let mut engine = engine(&format!("uci) echo uciok ;; isready) echo readyok ;; {GOOD}"), &["Style=solid"]);
            assert_eq!((engine.name.as_str(), engine.max_threads, engine.settings.as_str()), ("sh", 1, "fake"));
            assert!(engine.warnings.iter().any(|line| line.contains("only one thread")), "{:?}", engine.warnings);
            assert!(to_depth(&mut engine).is_ok());
        }
    }
}
