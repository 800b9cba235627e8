//! Plays the transcripts of `tests/data/sessions` with the engine; `tests/data/README.md` says how to read them.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::fs;
use std::time::{Duration, Instant};

use super::folder::Folder;
use super::judge::Judge;
use super::{PATIENCE, is_one_machine, is_search_line};

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data");

/// Plays all sessions of a file.
pub(crate) fn play(subject: &str) {
    let file = format!("{DATA}/sessions/{subject}.txt");
    play_text(&file, &fs::read_to_string(&file).unwrap());
}

/// Plays all sessions of a text. Messages name it as `file`.
pub(crate) fn play_text(file: &str, text: &str) {
    let lines: Vec<(usize, &str)> = (1..).zip(text.lines().map(str::trim_end)).collect();
    let is_comment = |line: &str| line.is_empty() || line.starts_with('#');
    let starts = lines.iter().enumerate().filter(|(_, (_, line))| line.starts_with("== ")).map(|(place, _)| place);
    let starts: Vec<usize> = starts.chain([lines.len()]).collect();
    assert!(starts.len() > 1 && lines[..starts[0]].iter().all(|(_, line)| is_comment(line)), "{file}: {lines:?}");
    for place in starts.windows(2) {
        let (_, name) = lines[place[0]];
        if name.ends_with("(one machine)") && !is_one_machine() {
            continue;
        }
        let body = &lines[place[0] + 1..place[1]];
        let (rows, steps): (Vec<_>, Vec<_>) = body.iter().partition(|(_, line)| line.starts_with("| "));
        for values in cases(&rows) {
            println!("{file}: {name} {values:?}");
            let mut player = Player::new(values);
            let steps = steps.iter().filter(|(_, line)| !is_comment(line));
            let steps: Vec<_> = steps.map(|(number, line)| (format!("{file}:{number}"), player.filled(line))).collect();
            player.play(&steps);
            player.end();
        }
    }
}

type Values = HashMap<String, String>;

/// Returns the values for each combination of rows. Rows on adjacent lines are a table, whose first row names the columns. A single row is a
/// name with its values.
fn cases(rows: &[&(usize, &str)]) -> Vec<Values> {
    let mut cases = vec![Values::new()];
    for table in rows.chunk_by(|first, second| first.0 + 1 == second.0) {
        let cells = |(_, line): &&(usize, &str)| {
            line.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect()
        };
        let mut rows: Vec<Vec<String>> = table.iter().map(cells).collect();
        if let [row] = &rows[..] {
            rows = row.iter().map(|cell| vec![cell.clone()]).collect();
        }
        let (names, rows) = rows.split_first().expect("a row");
        let with = |case: &Values, row: &[String]| {
            assert_eq!(row.len(), names.len(), "{row:?}");
            case.clone().into_iter().chain(names.iter().cloned().zip(row.iter().cloned())).collect::<Values>()
        };
        cases = cases.iter().flat_map(|case| rows.iter().map(|row| with(case, row))).collect();
    }
    cases
}

struct Player {
    judge: Judge,
    folder: Folder,
    values: Values,
    /// The words that patterns have named.
    words: Values,
    /// The file and line of the step.
    place: String,
    /// Patterns of `all`, `none` and `some`; the last leave when a line matches.
    rules: Vec<(String, String)>,
    skips: bool,
    is_ending: bool,
}

impl Player {
    fn new(values: Values) -> Player {
        Player {
            judge: Judge::new(),
            folder: Folder::new(),
            values,
            words: Values::new(),
            place: String::new(),
            rules: Vec::new(),
            skips: false,
            is_ending: false,
        }
    }

    /// Replaces `<name>` by a value of a table or a path, `<3 times x>` by `xxx`, `\n` by a line feed, and `\e` by an escape.
    fn filled(&self, line: &str) -> String {
        let mut text = line.to_owned();
        for (name, value) in &self.values {
            text = text.replace(&format!("<{name}>"), value);
        }
        while let Some((before, rest)) = text.split_once(" times ")
            && let Some((start, count)) = before.rsplit_once('<')
            && let Some((part, end)) = rest.split_once('>')
        {
            text = format!("{start}{}{end}", part.repeat(count.parse().unwrap()));
        }
        // A path may contain backslashes.
        let folder = self.folder.path().to_str().unwrap();
        text.replace("\\n", "\n").replace("\\e", "\u{1b}").replace("<folder>", folder).replace("<data>", DATA)
    }

    fn play(&mut self, steps: &[(String, String)]) {
        let times = steps[0].1.strip_prefix("times ").map(|times| times.parse().unwrap());
        let steps = &steps[usize::from(times.is_some())..];
        for _ in 0..times.unwrap_or(1) {
            let mut last_lines = Vec::new();
            for (number, (place, line)) in steps.iter().enumerate() {
                self.place.clone_from(place);
                let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
                match word {
                    ">" => rest.trim_end_matches('\n').split('\n').for_each(|line| self.send(line)),
                    ">>" => self.send_and_expect(rest, "bestmove *"),
                    "ready" => self.send_and_expect("isready", "readyok"),
                    "set" => {
                        for option in rest.split("; ") {
                            self.send(&format!("setoption name {}", option.replacen(" = ", " value ", 1)));
                        }
                    }
                    "<" if is_search_line(rest) => {
                        let mut patterns = steps[number..].iter().map(|(_, line)| line.trim_start_matches(['<', ' ']));
                        if patterns.find(|line| !is_search_line(line)).is_some_and(|line| line.starts_with("bestmove"))
                        {
                            last_lines.push(rest);
                        } else {
                            self.expect_search_line(rest);
                        }
                    }
                    "<" | "<<" => {
                        self.skips |= word == "<<";
                        for line in rest.trim_end_matches('\n').split('\n') {
                            self.expect(line, &std::mem::take(&mut last_lines));
                        }
                    }
                    "..." => self.skips = true,
                    "all" | "none" | "some" => self.rules.push((word.to_owned(), rest.to_owned())),
                    "hold" => self.hold(Duration::from_millis(rest.parse().unwrap())),
                    "files" => assert_eq!(self.folder.names().join(" "), rest, "{place}"),
                    "end" => {
                        self.judge.session.close_input();
                        self.is_ending = true;
                    }
                    "restart" => {
                        self.end();
                        (self.judge, self.is_ending) = (Judge::new(), false);
                    }
                    _ => panic!("{place}: {line:?} is no step"),
                }
            }
        }
    }

    fn send(&mut self, line: &str) {
        self.is_ending |= line == "quit";
        self.judge.send(line);
    }

    fn send_and_expect(&mut self, line: &str, answer: &str) {
        self.send(line);
        self.expect(answer, &[]);
    }

    /// Expects a line, after any lines of a search. Before the best move, these end with lines of the given patterns.
    fn expect(&mut self, pattern: &str, last_lines: &[&str]) {
        loop {
            let Some(line) = self.hear(PATIENCE) else { self.fail(pattern, "nothing") };
            if is_search_line(&line) {
                continue;
            }
            let lines = &self.judge.search_lines;
            let last = &lines[lines.len().saturating_sub(last_lines.len())..];
            let mut words = self.words.clone();
            let is_match = last.len() == last_lines.len()
                && last_lines.iter().zip(last).all(|(pattern, line)| matches(pattern, line, &mut words))
                && matches(pattern, &line, &mut words);
            if is_match {
                break self.words = words;
            }
            if !self.skips || [pattern, &line].iter().all(|line| line.starts_with("bestmove ")) {
                self.fail(&format!("{last_lines:#?}, then {pattern}"), &format!("{last:#?}, then {line}"));
            }
        }
        if let Some((_, rule)) = self.rules.iter().find(|(kind, _)| kind == "some") {
            self.fail(&format!("some {rule}"), &format!("{:#?}", self.judge.search_lines));
        }
        self.rules.clear();
        self.skips = false;
    }

    fn expect_search_line(&mut self, pattern: &str) {
        loop {
            let line = self.hear(PATIENCE).unwrap_or_else(|| self.fail(pattern, "nothing"));
            if matches(pattern, &line, &mut self.words) {
                return;
            }
            if !is_search_line(&line) {
                self.fail(pattern, &line);
            }
        }
    }

    /// Expects only lines of a search for a while. A slow machine makes this check weaker, never wrong.
    fn hold(&mut self, time: Duration) {
        let end = Instant::now() + time;
        while let Some(line) = self.hear(end.saturating_duration_since(Instant::now())) {
            if !is_search_line(&line) {
                self.fail("lines of a search", &line);
            }
        }
    }

    /// Returns the next line, after checks of the rules; `None` if none comes in time.
    fn hear(&mut self, time: Duration) -> Option<String> {
        let line = self.judge.hear(time)?;
        let is_of_search = is_search_line(&line) && !line.contains(" currmove ");
        for (kind, rule) in std::mem::take(&mut self.rules) {
            let is_match = matches(&rule, &line, &mut self.words.clone());
            if kind == "none" && is_match || kind == "all" && is_of_search && !is_match {
                self.fail(&format!("{kind} {rule}"), &line);
            }
            if kind != "some" || !is_match {
                self.rules.push((kind, rule));
            }
        }
        Some(line)
    }

    fn fail(&self, wanted: &str, found: &str) -> ! {
        let Player { place, values, words, .. } = self;
        let text = format!("{place}: expected\n{wanted:.1000}\nbut found\n{found:.1000}\nwith {values:?} {words:?}");
        self.judge.session.fail(&text)
    }

    /// Expects a good end without more lines.
    fn end(&mut self) {
        if !self.is_ending {
            self.send("quit");
        }
        let rest = self.judge.end(!self.skips);
        if !self.skips && !rest.is_empty() {
            self.fail("the end", &format!("{rest:#?}"));
        }
    }
}

/// Compares a line with a pattern.
fn matches(pattern: &str, line: &str, words: &mut Values) -> bool {
    let (literal, special) = pattern.split_at(pattern.find(['*', '$', '{']).unwrap_or(pattern.len()));
    let Some(line) = line.strip_prefix(literal) else { return false };
    let Some(rest) = special.get(1..) else { return line.is_empty() };
    match special.as_bytes()[0] {
        b'*' => (0..=line.len()).any(|at| line.is_char_boundary(at) && matches(rest, &line[at..], words)),
        b'$' => {
            let (name, rest) = rest.split_at(rest.find(|letter: char| !letter.is_alphanumeric()).unwrap_or(rest.len()));
            let (word, line) = line.split_at(line.find([' ', ':']).unwrap_or(line.len()));
            if let Some(known) = words.get(name) {
                return known == word && matches(rest, line, words);
            }
            words.insert(name.to_owned(), word.to_owned());
            let is_match = matches(rest, line, words);
            if !is_match {
                words.remove(name);
            }
            is_match
        }
        _ => {
            let (choice, rest) = rest.split_once('}').unwrap_or_else(|| panic!("no }} in {pattern:?}"));
            if !choice.starts_with(['<', '>']) {
                return choice
                    .split('|')
                    .any(|choice| line.strip_prefix(choice).is_some_and(|line| matches(rest, line, words)));
            }
            let (number, line) = line
                .split_at(line.find(|letter: char| letter != '-' && !letter.is_ascii_digit()).unwrap_or(line.len()));
            let (sign, bound) = choice.split_at(choice.find(|letter| !"<>=".contains(letter)).unwrap_or(choice.len()));
            let bound = bound.strip_prefix('$').map_or(bound, |name| &words[name]);
            let bound: i64 = bound.parse().unwrap_or_else(|_| panic!("no bound in {pattern:?}"));
            let is_within = |number: i64| match number.cmp(&bound) {
                Ordering::Less => sign.starts_with('<'),
                Ordering::Equal => sign.ends_with('='),
                Ordering::Greater => sign.starts_with('>'),
            };
            number.parse().is_ok_and(is_within) && matches(rest, line, words)
        }
    }
}

#[test]
fn patterns_match_lines() {
    let line = "info depth 3 score cp -15 nodes 900 pv e2e4 e7e5";
    for pattern in [
        "*",
        "info depth 3 *",
        "* cp {<0} *",
        "* nodes {>899} *",
        "* nodes {>=900} *",
        "* nodes {<=900} *",
        "* pv {d2d4|e2e4} *",
        "* pv $mv e7e5",
        "* $move e7e5",
        "*5",
    ] {
        assert!(matches(pattern, line, &mut Values::from([("mv".to_owned(), "e2e4".to_owned())])), "{pattern}");
    }
    for pattern in [
        "",
        "info depth 3",
        "* cp {>0} *",
        "* nodes {>900} *",
        "* nodes {<900} *",
        "* pv {d2d4|c2c4} *",
        "* pv $mv e7e5",
    ] {
        assert!(!matches(pattern, line, &mut Values::from([("mv".to_owned(), "d2d4".to_owned())])), "{pattern}");
    }
}
