//! The observations on disk: one CSV line each, there as soon as it is made.
//!
//! The first line says what experiment it is (format, program, test positions), the second names the columns. While a run is going
//! on, lines are appended in the order in which they come; when it is complete, the file is rewritten in the order of the plan, so
//! that the same experiment gives the same bytes.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::fmt;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use sesame_report::files;
use sesame_table::Scheme;

/// What the first line of every results file begins with: the format's version and the program's.
const MAGIC: &str = "# sesame lab results 1 alibaba 1 ";

/// The second line.
const COLUMNS: &str = "scheme,stamped,positions,test,depth,nodes,score,move";

/// The name of the series without a table.
pub const NO_TABLE: &str = "none";

/// The conditions of a series of searches. The order is that of the plan: without a table, then the schemes in the paper's order,
/// cleared before stamped, small tables before large ones.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Series {
    /// The replacement scheme; `None` without a table.
    pub scheme: Option<Scheme>,
    /// Whether the table is kept and time-stamped between the test positions, or cleared.
    pub stamped: bool,
    /// The size of the table in positions; 0 for none.
    pub positions: usize,
}

impl Series {
    /// The series without a table.
    pub const WITHOUT_TABLE: Series = Series { scheme: None, stamped: false, positions: 0 };

    fn rank(&self) -> (usize, bool, usize) {
        let scheme = self.scheme.and_then(|scheme| Scheme::ALL.into_iter().position(|other| other == scheme));
        (scheme.map_or(0, |index| index + 1), self.stamped, self.positions)
    }
}

impl Ord for Series {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank().cmp(&other.rank())
    }
}

impl PartialOrd for Series {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The first three columns.
impl fmt::Display for Series {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = self.scheme.map_or(NO_TABLE, Scheme::name);
        write!(f, "{scheme},{},{}", if self.stamped { "yes" } else { "no" }, self.positions)
    }
}

/// One search of one test position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Observation {
    /// The conditions.
    pub series: Series,
    /// The number of the test position, from 1.
    pub test: u32,
    /// The depth in plies.
    pub depth: u32,
    /// All nodes visited: interior nodes, leaves and quiescence, of all iterations up to this depth.
    pub nodes: u64,
    /// The score in centipawns for the side to move.
    pub score: i32,
    /// The best move in UCI's notation.
    pub mv: String,
}

impl Observation {
    /// What no two observations of an experiment share; their order is that of the plan.
    pub fn key(&self) -> (Series, u32, u32) {
        (self.series, self.test, self.depth)
    }
}

/// A line of the file.
impl fmt::Display for Observation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Observation { series, test, depth, nodes, score, mv } = self;
        write!(f, "{series},{test},{depth},{nodes},{score},{mv}")
    }
}

/// Why observations could not be read or kept.
#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    /// Another process is writing to the file.
    #[error("{}: another run is writing to it", path.display())]
    SearchingTable {
        /// The file.
        path: PathBuf,
    },
    /// The file could not be read or written; a full disk comes this way.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// There is one already, which is not to be lost.
    #[error("{} exists already: continue it with --resume, or name another with --output", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// It is not a results file, or one of another version.
    #[error("{} is not a results file of this laboratory: its first lines should be \"{MAGIC}...\" and \"{COLUMNS}\"", path.display())]
    NotResults {
        /// The file.
        path: PathBuf,
    },
    /// It comes from other test positions.
    #[error("{} holds results for other test positions ({found:016x}, not {expected:016x})", path.display())]
    OtherPositions {
        /// The file.
        path: PathBuf,
        /// Its hash of the positions.
        found: u64,
        /// The hash of those asked for.
        expected: u64,
    },
    /// A line makes no sense.
    #[error("{} is damaged: line {line}: {what}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The line's number, from 1.
        line: usize,
        /// What is wrong with it.
        what: String,
    },
    /// A repeated search came out otherwise: the file was made by another program, or changed.
    #[error("{} says \"{found}\", but the same search gives \"{made}\" now: it was made by another program", path.display())]
    Differs {
        /// The file.
        path: PathBuf,
        /// The file's line.
        found: String,
        /// The new one.
        made: String,
    },
}

impl ResultsError {
    fn file(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        |source| Self::File { path: path.to_owned(), source }
    }
}

/// Reads a results file, whole or in the making.
///
/// # Errors
/// If it cannot be read, is not a results file, or is damaged. A last line without an end is damage here; [`Journal::resume`] repairs it.
pub fn read(path: &Path) -> Result<Vec<Observation>, ResultsError> {
    Ok(parse(path, &read_text(path)?)?.1)
}

/// As [`read`], but only if the file is about the test positions with this hash.
///
/// # Errors
/// As for [`read`], and if the file belongs to other test positions.
pub fn read_of(path: &Path, hash: u64) -> Result<Vec<Observation>, ResultsError> {
    match parse(path, &read_text(path)?)? {
        (found, observations) if found == hash => Ok(observations),
        (found, _) => Err(ResultsError::OtherPositions { path: path.to_owned(), found, expected: hash }),
    }
}

fn read_text(path: &Path) -> Result<String, ResultsError> {
    let not_results = || ResultsError::NotResults { path: path.to_owned() };
    // A device such as /dev/zero would never end.
    if !std::fs::metadata(path).map_err(ResultsError::file(path))?.is_file() {
        return Err(not_results());
    }
    let mut bytes = Vec::new();
    File::open(path).and_then(|mut file| file.read_to_end(&mut bytes)).map_err(ResultsError::file(path))?;
    String::from_utf8(bytes).map_err(|_| not_results())
}

/// Sees to it that no other run writes to the file, as long as it is open. Where the system has no locks, nothing is seen to.
fn lock(file: &File, path: &Path) -> Result<(), ResultsError> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(ResultsError::SearchingTable { path: path.to_owned() }),
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
    }
}

/// The hash of the test positions and the observations, none twice.
fn parse(path: &Path, text: &str) -> Result<(u64, Vec<Observation>), ResultsError> {
    let not_results = || ResultsError::NotResults { path: path.to_owned() };
    let damaged = |line, what: &str| ResultsError::Damaged { path: path.to_owned(), line, what: what.to_owned() };
    let mut lines = text.split_inclusive('\n').enumerate().map(|(index, line)| (index + 1, line));
    let (_, first) = lines.next().ok_or_else(not_results)?;
    let hash = first.strip_prefix(MAGIC).map(str::trim_end).filter(|hash| hash.len() == 16);
    let hash = hash.and_then(|hash| u64::from_str_radix(hash, 16).ok()).ok_or_else(not_results)?;
    let (_, second) = lines.next().ok_or_else(not_results)?;
    if second.trim_end() != COLUMNS {
        return Err(not_results());
    }
    let mut observations = Vec::new();
    let mut seen = HashMap::new();
    for (number, line) in lines {
        let line = line.strip_suffix('\n').ok_or_else(|| damaged(number, "it is cut off"))?;
        let observation = parse_line(line).map_err(|what| damaged(number, &what))?;
        if let Some(other) = seen.insert(observation.key(), number) {
            return Err(damaged(number, &format!("the observation is already in line {other}")));
        }
        observations.push(observation);
    }
    Ok((hash, observations))
}

fn parse_line(line: &str) -> Result<Observation, String> {
    let fields: Vec<&str> = line.split(',').collect();
    let &[scheme, stamped, positions, test, depth, nodes, score, mv] = fields.as_slice() else {
        return Err(format!("{} fields and not 8", fields.len()));
    };
    let scheme = match scheme {
        NO_TABLE => None,
        name => Some(name.parse::<Scheme>().map_err(|error| error.to_string())?),
    };
    let stamped = match stamped {
        "yes" => true,
        "no" => false,
        other => return Err(format!("\"{other}\" is neither yes nor no")),
    };
    fn number<N: std::str::FromStr>(text: &str) -> Result<N, String> {
        text.parse().map_err(|_| format!("\"{text}\" is not a number, or not one that can be here"))
    }
    let series = Series { scheme, stamped, positions: number(positions)? };
    let is_move =
        (4..=5).contains(&mv.len()) && mv.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    if !is_move {
        return Err(format!("\"{mv}\" is not a move"));
    }
    if (scheme.is_none()) != (series.positions == 0) {
        return Err("a table without a scheme, or a scheme without a table".to_owned());
    }
    let observation = Observation {
        series,
        test: number(test)?,
        depth: number(depth)?,
        nodes: number(nodes)?,
        score: number(score)?,
        mv: mv.to_owned(),
    };
    // Leading zeros, signs and the like: a file that was written here has none.
    if observation.to_string() != line {
        Err("it is not as this program writes it".to_owned())
    } else {
        Ok(observation)
    }
}

/// A results file in the making.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    hash: u64,
    file: File,
    known: HashMap<(Series, u32, u32), Observation>,
}

impl Journal {
    /// Begins a new file for the test positions with this hash.
    ///
    /// # Errors
    /// If there is a file of that name, or none can be made.
    pub fn create(path: &Path, hash: u64) -> Result<Self, ResultsError> {
        let file = OpenOptions::new().write(true).create_new(true).open(path).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => ResultsError::Exists { path: path.to_owned() },
            _ => ResultsError::File { path: path.to_owned(), source: error },
        })?;
        lock(&file, path)?;
        let mut journal = Self { path: path.to_owned(), hash, file, known: HashMap::new() };
        journal.write(&header(hash))?;
        Ok(journal)
    }

    /// Continues a file, or begins it if there is none. A last line that was cut off by the end of its process is dropped.
    ///
    /// # Errors
    /// If the file cannot be read and written, is damaged or no results file, or belongs to other test positions.
    pub fn resume(path: &Path, hash: u64) -> Result<Self, ResultsError> {
        let open = || {
            let file = OpenOptions::new().append(true).open(path).map_err(ResultsError::file(path))?;
            lock(&file, path).map(|()| file)
        };
        let mut text = match read_text(path) {
            Err(ResultsError::File { source, .. }) if source.kind() == ErrorKind::NotFound => {
                return Self::create(path, hash);
            }
            text => text?,
        };
        text.truncate(text.rfind('\n').map_or(0, |end| end + 1));
        let header = header(hash);
        if text.len() < header.len() && header.starts_with(&text) && is_beginning(path, &header)? {
            // Killed before even the header was complete.
            let file = open()?;
            file.set_len(0).map_err(ResultsError::file(path))?;
            let mut journal = Self { path: path.to_owned(), hash, file, known: HashMap::new() };
            journal.write(&header)?;
            return Ok(journal);
        }
        let (found, observations) = parse(path, &text)?;
        if found != hash {
            return Err(ResultsError::OtherPositions { path: path.to_owned(), found, expected: hash });
        }
        let file = open()?;
        file.set_len(text.len() as u64).map_err(ResultsError::file(path))?;
        let known = observations.into_iter().map(|observation| (observation.key(), observation)).collect();
        Ok(Self { path: path.to_owned(), hash, file, known })
    }

    /// Whether this observation is in the file.
    pub fn has(&self, key: &(Series, u32, u32)) -> bool {
        self.known.contains_key(key)
    }

    /// How many observations are in the file.
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Whether the file is empty.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Puts an observation on disk. One that is there already must be the same, and is not written again.
    ///
    /// # Errors
    /// If the file cannot be written, or holds another outcome of the same search.
    pub fn add(&mut self, observation: Observation) -> Result<(), ResultsError> {
        if let Some(found) = self.known.get(&observation.key()) {
            if *found != observation {
                let (found, made) = (found.to_string(), observation.to_string());
                return Err(ResultsError::Differs { path: self.path.clone(), found, made });
            }
            return Ok(());
        }
        self.write(&format!("{observation}\n"))?;
        self.known.insert(observation.key(), observation);
        Ok(())
    }

    /// Rewrites the file in the order of the plan, through a temporary one beside it.
    ///
    /// # Errors
    /// If that cannot be written; the unsorted file stays then.
    pub fn finish(self) -> Result<(), ResultsError> {
        let mut observations: Vec<Observation> = self.known.into_values().collect();
        observations.sort_by_key(Observation::key);
        let mut text = header(self.hash);
        observations.iter().for_each(|observation| text.push_str(&format!("{observation}\n")));
        files::replace(&self.path, text.as_bytes()).map_err(ResultsError::file(&self.path))
    }

    /// One system call, so that a killed process leaves at most one line cut off.
    fn write(&mut self, text: &str) -> Result<(), ResultsError> {
        self.file.write_all(text.as_bytes()).map_err(ResultsError::file(&self.path))
    }
}

fn header(hash: u64) -> String {
    format!("{MAGIC}{hash:016x}\n{COLUMNS}\n")
}

/// Whether the whole file is a beginning of `header`.
fn is_beginning(path: &Path, header: &str) -> Result<bool, ResultsError> {
    Ok(header.starts_with(&read_text(path)?))
}

#[cfg(test)]
mod tests;
