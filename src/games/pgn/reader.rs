//! Game after game from a stream.

use std::io::BufRead;

use super::lexer::{Lexer, Token};
use super::{Note, PgnError, Ply, Problem, Record, Termination};

/// More plies than a game can have, with the rule of 75 moves.
const MAX_PLIES: usize = 12_000;

/// More tags than anybody uses.
const MAX_TAGS: usize = 1_000;

/// Reads the games of a stream, one at a time. What is wrong in one of them is an error that names its place; reading goes on with the next
/// game that can be told from it.
///
/// ```
/// use sesame::games::pgn::Reader;
///
/// let file = "[White \"Fool\"]\n\n1. f3 e5 2. g4?? {Oh dear.} Qh4# 0-1\n";
/// let games: Vec<_> = Reader::new(file.as_bytes()).collect::<Result<_, _>>().unwrap();
/// assert_eq!(games[0].plies[2].nags, [4]);
/// assert_eq!(games[0].replay().unwrap().moves.len(), 4);
/// ```
pub struct Reader<R> {
    lexer: Lexer<R>,
    number: u64,
    /// The first tag of the next game, where no move and no end stood before it.
    carried: Option<(String, String)>,
    /// After the input has failed, there is nothing more to come.
    is_over: bool,
}

impl<R: BufRead> Reader<R> {
    /// A reader of `input`.
    pub fn new(input: R) -> Self {
        Reader { lexer: Lexer::new(input), number: 0, carried: None, is_over: false }
    }

    /// The next game; none at the end.
    fn game(&mut self) -> Result<Option<Record>, Wrong> {
        self.lexer.begin();
        let mut record = Record { tags: self.carried.take().into_iter().collect(), ..Record::default() };
        // Comments may stand before the tags.
        self.comments(&mut record)?;
        record.line = self.lexer.line;
        while self.lexer.is_at_tag() {
            let line = self.lexer.line;
            let wrong = |problem| Wrong { line, in_tags: true, problem };
            if record.tags.len() == MAX_TAGS {
                return Err(wrong(Problem::TooLarge("1,000 tags")));
            }
            if let Some(Token::Tag(name, value)) = self.lexer.token().map_err(wrong)? {
                if name == "Event" && record.tag("Event").is_some() {
                    self.carried = Some((name, value));
                    return Ok(Some(record));
                }
                record.tags.push((name, value));
            }
            self.comments(&mut record)?;
        }
        let ended = self.moves(&mut record)?;
        if record.plies.is_empty() && record.tags.is_empty() && record.opening.is_empty() && !ended {
            return Ok(None);
        }
        if !ended {
            record.termination = record.tag("Result").and_then(Termination::read).unwrap_or_default();
        }
        Ok(Some(record))
    }

    /// Comments before the first move.
    fn comments(&mut self, record: &mut Record) -> Result<(), Wrong> {
        while self.lexer.is_at_comment() {
            let line = self.lexer.line;
            if let Some(Token::Comment(comment)) = self.lexer.token().map_err(Wrong::at(line))? {
                record.opening.push(comment);
            }
        }
        Ok(())
    }

    /// The moves, up to and with the end, or up to the next game. Returns whether there was an end.
    fn moves(&mut self, record: &mut Record) -> Result<bool, Wrong> {
        while !self.lexer.is_at_tag() {
            let line = self.lexer.line;
            let wrong = Wrong::at(line);
            let Some(token) = self.lexer.token().map_err(wrong)? else { return Ok(false) };
            match token {
                Token::Word(word) => {
                    let san = without_number(&word);
                    if let Some(termination) = Termination::read(&word).or_else(|| Termination::read(san)) {
                        record.termination = termination;
                        return Ok(true);
                    }
                    if !["", "e.p.", "e.p", "ep"].contains(&san) {
                        if record.plies.len() == MAX_PLIES {
                            return Err(wrong(Problem::TooLarge("12,000 plies")));
                        }
                        record.plies.push(Ply { san: san.to_owned(), line, ..Ply::default() });
                    }
                }
                Token::Comment(comment) => match record.plies.last_mut() {
                    Some(ply) => ply.notes.push(Note::Comment(comment)),
                    None => record.opening.push(comment),
                },
                Token::Nag(nag) => {
                    if let Some(ply) = record.plies.last_mut() {
                        ply.nags.push(nag);
                    }
                }
                Token::Open => {
                    let variation = self.variation(line)?;
                    let ply = record.plies.last_mut().ok_or_else(|| wrong(Problem::Unexpected('(')))?;
                    ply.notes.push(Note::Variation(variation));
                }
                Token::Close => return Err(wrong(Problem::Unexpected(')'))),
                // It was not at a tag.
                Token::Tag(..) => {}
            }
        }
        Ok(false)
    }

    /// The text of a variation whose parenthesis was opened on `start`, with all that is nested in it: counted, so that no depth is too deep.
    fn variation(&mut self, start: u64) -> Result<String, Wrong> {
        let mut text = String::new();
        let mut depth = 1u32;
        loop {
            if self.lexer.is_at_tag() {
                return Err(Wrong::at(start)(Problem::OpenVariation));
            }
            let line = self.lexer.line;
            let word = match self.lexer.token().map_err(Wrong::at(line))? {
                None => return Err(Wrong::at(start)(Problem::OpenVariation)),
                Some(Token::Open) => {
                    depth += 1;
                    "(".to_owned()
                }
                Some(Token::Close) => {
                    depth -= 1;
                    if depth == 0 {
                        return Ok(text);
                    }
                    text.push(')');
                    continue;
                }
                Some(Token::Word(word)) => word,
                Some(Token::Nag(nag)) => format!("${nag}"),
                Some(Token::Comment(comment)) => format!("{{{}}}", comment.replace('}', ")")),
                Some(Token::Tag(..)) => continue,
            };
            if !text.is_empty() && !text.ends_with('(') {
                text.push(' ');
            }
            text += &word;
        }
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Record, PgnError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        match self.game() {
            Ok(None) => {
                self.is_over = true;
                None
            }
            Ok(Some(mut record)) => {
                self.number += 1;
                record.number = self.number;
                Some(Ok(record))
            }
            Err(Wrong { line, in_tags, problem }) => {
                self.number += 1;
                if let Problem::Io(_) = problem {
                    self.is_over = true;
                } else {
                    self.lexer.skip_to_next_game(in_tags);
                }
                Some(Err(PgnError { game: self.number, line, problem }))
            }
        }
    }
}

/// What is wrong, where, and whether the tags were still being read.
struct Wrong {
    line: u64,
    in_tags: bool,
    problem: Problem,
}

impl Wrong {
    fn at(line: u64) -> impl Fn(Problem) -> Wrong + Copy {
        move |problem| Wrong { line, in_tags: false, problem }
    }
}

/// What is left of a word such as `Nf3`, `12.Nf3` or `12...Nf6` without its number: nothing of a bare number.
fn without_number(word: &str) -> &str {
    const DOTS: [char; 2] = ['.', '…'];
    let mut rest = word;
    loop {
        let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        // Digits before a dot, or alone, are a number; those of `0-0` are not.
        if rest.is_empty() || !after.is_empty() && !after.starts_with(DOTS) {
            return rest;
        }
        rest = after.trim_start_matches(DOTS);
    }
}
