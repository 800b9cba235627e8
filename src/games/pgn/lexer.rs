//! PGN's text in tokens.

use std::io::{self, BufRead};

use super::Problem;

/// The most text that one game may have, in bytes. A game of a thousand moves with a paragraph on each has less.
const MAX_TEXT: usize = 4 << 20;

/// What a token costs of that besides its letters, so that very many of nothing are too much as well.
const TOKEN: usize = 4;

/// The end of a tag section and the beginning of a game that swallowed comments are known by.
const NEXT_GAME: &[u8] = b"[Event \"";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    Tag(String, String),
    Comment(String),
    /// `(`
    Open,
    /// `)`
    Close,
    Nag(u8),
    /// A move, a move number, an end, or anything else without blanks.
    Word(String),
}

/// A stream of tokens. Every byte is looked at once; a token's text is all that is kept.
pub(super) struct Lexer<R> {
    input: R,
    /// The line of the next byte, from 1.
    pub(super) line: u64,
    is_line_start: bool,
    /// How much text this game may still have.
    room: usize,
    /// Why the input ended, if not because it has an end.
    failure: Option<io::Error>,
    begun: Begun,
    /// Words that were found with the last one, the next at the end.
    words: Vec<String>,
}

/// What of the next tag has been read already, to find out that it is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Begun {
    Nothing,
    Bracket,
    /// [`NEXT_GAME`], up to and with the quote.
    Event,
}

impl<R: BufRead> Lexer<R> {
    pub(super) fn new(input: R) -> Self {
        let mut lexer = Lexer {
            input,
            line: 1,
            is_line_start: true,
            room: MAX_TEXT,
            failure: None,
            begun: Begun::Nothing,
            words: Vec::new(),
        };
        // The byte order mark that some editors put before UTF-8.
        if lexer.peek() == Some(0xEF) {
            (0..3).for_each(|_| _ = lexer.bump());
            lexer.is_line_start = true;
        }
        lexer
    }

    /// A game begins: it has room again.
    pub(super) fn begin(&mut self) {
        self.room = MAX_TEXT;
    }

    /// The next byte, which stays the next.
    fn peek(&mut self) -> Option<u8> {
        if self.failure.is_some() {
            return None;
        }
        loop {
            match self.input.fill_buf() {
                Ok(buffer) => return buffer.first().copied(),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.failure = Some(error);
                    return None;
                }
            }
        }
    }

    fn bump(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.input.consume(1);
        self.is_line_start = byte == b'\n';
        self.line += u64::from(byte == b'\n');
        Some(byte)
    }

    fn spend(&mut self, bytes: usize) -> Result<(), Problem> {
        self.room = self.room.checked_sub(bytes).ok_or(Problem::TooLarge("4 MiB of text"))?;
        Ok(())
    }

    /// Adds the next byte to `text`.
    fn take(&mut self, text: &mut Vec<u8>) -> Result<(), Problem> {
        self.spend(1)?;
        text.extend(self.bump());
        Ok(())
    }

    fn skip_line(&mut self) {
        while self.bump().is_some_and(|byte| byte != b'\n') {}
    }

    /// Goes to the next token: past blanks, and lines that begin with `%`, which are for others.
    fn skip_blanks(&mut self) {
        while let Some(byte) = self.peek() {
            if byte == b'%' && self.is_line_start {
                self.skip_line();
            } else if byte.is_ascii_whitespace() || byte == 0 {
                self.bump();
            } else {
                return;
            }
        }
    }

    /// Whether the next token is a tag.
    pub(super) fn is_at_tag(&mut self) -> bool {
        self.begun != Begun::Nothing || self.is_at(b"[")
    }

    /// Whether the next token is a comment.
    pub(super) fn is_at_comment(&mut self) -> bool {
        self.begun == Begun::Nothing && self.is_at(b"{;")
    }

    fn is_at(&mut self, bytes: &[u8]) -> bool {
        if !self.words.is_empty() {
            return false;
        }
        self.skip_blanks();
        self.peek().is_some_and(|byte| bytes.contains(&byte))
    }

    /// The next token; none at the end.
    pub(super) fn token(&mut self) -> Result<Option<Token>, Problem> {
        self.spend(TOKEN)?;
        if self.begun != Begun::Nothing {
            return self.tag().map(Some);
        }
        if let Some(word) = self.words.pop() {
            return Ok(Some(Token::Word(word)));
        }
        loop {
            self.skip_blanks();
            let Some(byte) = self.peek() else {
                return self.failure.take().map_or(Ok(None), |error| Err(error.into()));
            };
            let token = match byte {
                b'[' => self.tag()?,
                b'{' => self.comment()?,
                b';' => self.rest_of_line()?,
                b'(' => self.sign(Token::Open),
                b')' => self.sign(Token::Close),
                b'$' => self.nag()?,
                b'!' | b'?' => match self.suffix() {
                    Some(nag) => Token::Nag(nag),
                    None => continue,
                },
                b'}' | b']' | b'"' | b'<' | b'>' => {
                    self.bump();
                    return Err(Problem::Unexpected(char::from(byte)));
                }
                _ => match self.word()? {
                    Some(word) => word,
                    None => continue,
                },
            };
            return Ok(Some(token));
        }
    }

    fn sign(&mut self, token: Token) -> Token {
        self.bump();
        token
    }

    /// `[Name "value"]`, where a quote within the value is escaped, or at least not followed by a bracket.
    fn tag(&mut self) -> Result<Token, Problem> {
        let (mut name, mut value) = (Vec::new(), Vec::new());
        let begun = std::mem::replace(&mut self.begun, Begun::Nothing);
        if begun == Begun::Event {
            name.extend(b"Event");
        } else {
            if begun == Begun::Nothing {
                self.bump();
            }
            self.skip_spaces();
            while self.peek().is_some_and(|byte| byte.is_ascii_alphanumeric() || b"_+#=:-".contains(&byte)) {
                self.take(&mut name)?;
            }
            self.skip_spaces();
            if name.is_empty() || self.peek() != Some(b'"') {
                return Err(Problem::Tag);
            }
            self.bump();
        }
        loop {
            match self.peek() {
                None | Some(b'\n') => return Err(Problem::Tag),
                Some(b'\\') => {
                    self.bump();
                    let is_escape = matches!(self.peek(), Some(b'\\' | b'"'));
                    if is_escape { self.take(&mut value)? } else { value.push(b'\\') }
                }
                Some(b'"') => {
                    self.bump();
                    let spaces = self.skip_spaces();
                    if self.peek() == Some(b']') {
                        self.bump();
                        // Of the control characters only blanks are left, which would not be written as they are.
                        return Ok(Token::Tag(text(name), text(value).replace(char::is_control, " ")));
                    }
                    value.push(b'"');
                    value.resize(value.len() + spaces, b' ');
                }
                Some(_) => self.take(&mut value)?,
            }
        }
    }

    /// Goes past blanks on this line; how many there were, up to a hundred.
    fn skip_spaces(&mut self) -> usize {
        let mut count = 0;
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r')) {
            self.bump();
            count += 1;
        }
        count.min(100)
    }

    /// `{...}`. A line that begins as the next game does tells that the end was forgotten.
    fn comment(&mut self) -> Result<Token, Problem> {
        let mut comment = Vec::new();
        let mut line_start = None;
        self.bump();
        loop {
            match self.peek() {
                None => return Err(Problem::OpenComment),
                Some(b'}') => {
                    self.bump();
                    return Ok(Token::Comment(one_line(&text(comment))));
                }
                Some(byte) => {
                    if self.is_line_start {
                        line_start = Some(comment.len());
                    }
                    self.take(&mut comment)?;
                    if byte == b'"' && line_start.and_then(|start| comment.get(start..)) == Some(NEXT_GAME) {
                        self.begun = Begun::Event;
                        return Err(Problem::OpenComment);
                    }
                }
            }
        }
    }

    /// `; ...`: a comment to the end of the line.
    fn rest_of_line(&mut self) -> Result<Token, Problem> {
        let mut comment = Vec::new();
        self.bump();
        while self.peek().is_some_and(|byte| byte != b'\n') {
            self.take(&mut comment)?;
        }
        Ok(Token::Comment(one_line(&text(comment))))
    }

    fn nag(&mut self) -> Result<Token, Problem> {
        let mut digits = Vec::new();
        self.bump();
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.take(&mut digits)?;
        }
        text(digits).parse().map(Token::Nag).map_err(|_| Problem::Nag)
    }

    /// `!`, `?` and what they make together; nothing for what means nothing.
    fn suffix(&mut self) -> Option<u8> {
        let mut signs = [0; 3];
        let mut count = 0;
        while let Some(sign @ (b'!' | b'?')) = self.peek() {
            if let Some(place) = signs.get_mut(count) {
                *place = sign;
            }
            count += 1;
            self.bump();
        }
        let meanings: [(&[u8], u8); 6] = [(b"!", 1), (b"?", 2), (b"!!", 3), (b"??", 4), (b"!?", 5), (b"?!", 6)];
        meanings.iter().find(|(meaning, _)| signs.get(..count) == Some(meaning)).map(|&(_, nag)| nag)
    }

    /// A word; nothing for one in which nothing is to be seen. Others that were found with it come next.
    fn word(&mut self) -> Result<Option<Token>, Problem> {
        let mut word = Vec::new();
        while self.peek().is_some_and(|byte| !byte.is_ascii_whitespace() && !b"{}()[];$!?\"<>\0".contains(&byte)) {
            self.take(&mut word)?;
        }
        // Blanks beyond ASCII, as pages on the web have them, part words too.
        let word = text(word);
        let mut words = word.split_whitespace().map(str::to_owned);
        let first = words.next().map(Token::Word);
        self.words = words.rev().collect();
        Ok(first)
    }

    /// Goes to where the next game seems to begin: a line that begins with a bracket after one that does not. What is wrong may have been
    /// found `in_tags`; the rest of those tags is no new game.
    pub(super) fn skip_to_next_game(&mut self, in_tags: bool) {
        let mut after_tag = in_tags;
        self.words.clear();
        if self.begun != Begun::Nothing {
            return;
        }
        if !self.is_line_start {
            self.skip_line();
        }
        while let Some(byte) = self.peek() {
            let mut is_tag = byte == b'[';
            if is_tag {
                self.bump();
                // `[%clk ...]` stands in a comment that is being skipped.
                is_tag = self.peek().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b' ');
                if is_tag && !after_tag {
                    self.begun = Begun::Bracket;
                    return;
                }
            }
            after_tag = is_tag;
            self.skip_line();
        }
    }
}

/// UTF-8, or if it is not that, Latin-1, in which the standard wants it. Without control characters, which would do to a terminal what they like;
/// blanks are left to the caller.
fn text(bytes: Vec<u8>) -> String {
    let text = String::from_utf8(bytes)
        .unwrap_or_else(|error| error.into_bytes().into_iter().map(char::from).collect::<String>());
    if text.contains(is_unwanted) { text.replace(is_unwanted, "") } else { text }
}

fn is_unwanted(letter: char) -> bool {
    letter.is_control() && !letter.is_whitespace() || matches!(letter, '\u{FFFE}' | '\u{FFFF}')
}

/// The text with single spaces for all blanks.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
