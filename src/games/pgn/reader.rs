//! The PGN parser: one game at a time from a stream.

use std::io::BufRead;

use super::lexer::{Lexer, Token};
use super::{Annotation, GameResult, PgnError, PgnErrorKind, PgnGame, Ply, SEVEN_TAG_ROSTER};
use crate::games::decode;

/// Limit of plies, more than the 75-move rule allows.
const MAX_PLIES: usize = 12_000;

/// Limit of tags.
const MAX_TAGS: usize = 1_000;

/// An iterator over the games of a stream.
///
/// An error in a game has its place; reading continues with the next game that is recognised.
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
    /// The first tag of the next game, if the last one had neither moves nor a result.
    pending_tag: Option<(String, String)>,
    /// The input has ended or failed.
    is_over: bool,
}

impl<R: BufRead> Reader<R> {
    /// Creates a reader of `input`.
    pub fn new(input: R) -> Self {
        Reader { lexer: Lexer::new(input), number: 0, pending_tag: None, is_over: false }
    }

    /// Returns the text of the last game, as it is in the file: for a game that could not be parsed. `None` if it
    /// is longer than 8 MiB.
    pub fn raw_text(&self) -> Option<String> {
        self.lexer.raw().map(|raw| decode(raw.to_vec()))
    }

    /// Parses the next game; `None` at the end.
    fn game(&mut self) -> Result<Option<PgnGame>, Located> {
        self.lexer.begin_game();
        let mut game = PgnGame { tags: self.pending_tag.take().into_iter().collect(), ..PgnGame::default() };
        // Comments may stand before the tags, and other text.
        self.comments(&mut game)?;
        if game.tags.is_empty() && self.skip_prose().map_err(Located::at(self.lexer.line))? {
            game.warnings.push("the text before the first tag is left out".to_owned());
        }
        game.line = self.lexer.line;
        while self.lexer.is_at_tag() {
            let line = self.lexer.line;
            let at_line = |kind| Located { line, in_tags: true, kind };
            if game.tags.len() == MAX_TAGS {
                return Err(at_line(PgnErrorKind::TooLarge("1,000 tags")));
            }
            if let Some(Token::Tag(name, value)) = self.lexer.token().map_err(at_line)? {
                // A game without moves or result precedes.
                if SEVEN_TAG_ROSTER.contains(&name.as_str()) && game.tag(&name).is_some() {
                    self.pending_tag = Some((name, value));
                    game.result = game.tag("Result").and_then(GameResult::read).unwrap_or_default();
                    return Ok(Some(game));
                }
                game.tags.push((name, value));
            }
            self.comments(&mut game)?;
        }
        let end = self.moves(&mut game)?;
        if game.plies.is_empty() && game.tags.is_empty() && game.comments.is_empty() && end.is_none() {
            return Ok(None);
        }
        let by_tag = game.tag("Result").and_then(GameResult::read).filter(|&result| result != GameResult::Unknown);
        game.result = by_tag.or(end).unwrap_or_default();
        if let Some(end) = end.filter(|&end| end != game.result && end != GameResult::Unknown) {
            game.warnings
                .push(format!("the tag Result says {}, the moves end with {end}: the tag counts", game.result));
        }
        Ok(Some(game))
    }

    /// Skips text that stands before the first tag and does not begin like a game. Returns true if there was any.
    fn skip_prose(&mut self) -> Result<bool, PgnErrorKind> {
        if self.lexer.is_at_tag() || self.lexer.is_at_move() {
            return Ok(false);
        }
        let mut has_text = false;
        while !self.lexer.is_at_tag() && self.lexer.skip_word() {
            has_text = true;
        }
        Ok(has_text)
    }

    /// Parses comments before the first move.
    fn comments(&mut self, game: &mut PgnGame) -> Result<(), Located> {
        while self.lexer.is_at_comment() {
            let line = self.lexer.line;
            if let Some(Token::Comment(comment)) = self.lexer.token().map_err(Located::at(line))? {
                game.comments.push(comment);
            }
        }
        Ok(())
    }

    /// Parses the moves up to the game termination marker, which it returns, or the next game.
    fn moves(&mut self, game: &mut PgnGame) -> Result<Option<GameResult>, Located> {
        while !self.lexer.is_at_tag() {
            let line = self.lexer.line;
            let at_line = Located::at(line);
            let Some(token) = self.lexer.token().map_err(at_line)? else { return Ok(None) };
            match token {
                Token::Word(word) => {
                    let san = without_number(&word);
                    if let Some(result) = GameResult::read(&word).or_else(|| GameResult::read(san)) {
                        return Ok(Some(result));
                    }
                    if !["", "e.p.", "e.p", "ep"].contains(&san) {
                        if game.plies.len() == MAX_PLIES {
                            return Err(at_line(PgnErrorKind::TooLarge("12,000 plies")));
                        }
                        game.plies.push(Ply { san: san.to_owned(), line, ..Ply::default() });
                    }
                }
                Token::Comment(comment) => match game.plies.last_mut() {
                    Some(ply) => ply.annotations.push(Annotation::Comment(comment)),
                    None => game.comments.push(comment),
                },
                Token::Nag(nag) => {
                    game.plies.last_mut().map_or(&mut game.nags, |ply| &mut ply.nags).push(nag);
                }
                Token::Open => {
                    let variation = self.variation(line)?;
                    let ply = game.plies.last_mut().ok_or_else(|| at_line(PgnErrorKind::Unexpected('(')))?;
                    ply.annotations.push(Annotation::Variation(variation));
                }
                Token::Close => return Err(at_line(PgnErrorKind::Unexpected(')'))),
                // Excluded by the condition of the loop.
                Token::Tag(..) => {}
            }
        }
        Ok(None)
    }

    /// Returns the text of a variation that was opened on line `start`. A counter replaces recursion, so no
    /// nesting is too deep.
    fn variation(&mut self, start: u64) -> Result<String, Located> {
        let mut text = String::new();
        let mut depth = 1u32;
        loop {
            if self.lexer.is_at_tag() {
                return Err(Located::at(start)(PgnErrorKind::OpenVariation));
            }
            let line = self.lexer.line;
            let word = match self.lexer.token().map_err(Located::at(line))? {
                None => return Err(Located::at(start)(PgnErrorKind::OpenVariation)),
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
    type Item = Result<PgnGame, PgnError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        match self.game() {
            Ok(None) => {
                self.is_over = true;
                None
            }
            Ok(Some(mut game)) => {
                self.number += 1;
                game.number = self.number;
                Some(Ok(game))
            }
            Err(Located { line, in_tags, kind }) => {
                self.number += 1;
                if let PgnErrorKind::Io(_) = kind {
                    self.is_over = true;
                } else {
                    self.lexer.skip_to_next_game(in_tags);
                }
                Some(Err(PgnError { game: self.number, line, kind }))
            }
        }
    }
}

/// An error with its line. `in_tags` is true within the tag section.
struct Located {
    line: u64,
    in_tags: bool,
    kind: PgnErrorKind,
}

impl Located {
    fn at(line: u64) -> impl Fn(PgnErrorKind) -> Located + Copy {
        move |kind| Located { line, in_tags: false, kind }
    }
}

/// Removes the move number of a word such as `12.Nf3` or `12...Nf6`. The rest of a bare number is empty.
fn without_number(word: &str) -> &str {
    const DOTS: [char; 2] = ['.', '…'];
    let mut rest = word;
    loop {
        let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        // Digits before a dot or at the end are a number; those of `0-0` are not.
        if rest.is_empty() || !after.is_empty() && !after.starts_with(DOTS) {
            return rest;
        }
        rest = after.trim_start_matches(DOTS);
    }
}
