//! The PGN lexer: tokens from a byte stream.

use std::io::{self, BufRead};

use super::PgnErrorKind;
use crate::games::decode;

/// Limit of the text of one game, in bytes. A thousand moves with a paragraph each need less.
const MAX_TEXT: usize = 4 << 20;

/// Bytes that a token counts in addition to its text, to limit empty tokens too.
const TOKEN_COST: usize = 4;

/// The beginning of a game. Within a comment, it shows that the comment was not closed.
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
    /// A move, a move number, a result, or another text without white space.
    Word(String),
}

/// A stream of tokens in one pass. Only the text of the current token is buffered.
pub(super) struct Lexer<R> {
    input: R,
    /// The line of the next byte, from 1.
    pub(super) line: u64,
    is_line_start: bool,
    /// Bytes of text left for this game.
    budget: usize,
    /// The error that ended the input, if any.
    failure: Option<io::Error>,
    tag_prefix: TagPrefix,
    /// Words found together with the last one, in reverse order.
    words: Vec<String>,
    /// The bytes of this game so far; `None` beyond twice [`MAX_TEXT`].
    raw: Option<Vec<u8>>,
}

/// The part of the next tag that was consumed to recognise it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TagPrefix {
    None,
    Bracket,
    /// [`NEXT_GAME`].
    Event,
}

impl TagPrefix {
    fn bytes(self) -> &'static [u8] {
        match self {
            TagPrefix::None => b"",
            TagPrefix::Bracket => b"[",
            TagPrefix::Event => NEXT_GAME,
        }
    }
}

impl<R: BufRead> Lexer<R> {
    pub(super) fn new(input: R) -> Self {
        let mut lexer = Lexer {
            input,
            line: 1,
            is_line_start: true,
            budget: MAX_TEXT,
            failure: None,
            tag_prefix: TagPrefix::None,
            words: Vec::new(),
            raw: Some(Vec::new()),
        };
        // A byte order mark before UTF-8.
        if lexer.peek() == Some(0xEF) {
            (0..3).for_each(|_| _ = lexer.bump());
            lexer.raw = Some(Vec::new());
            lexer.is_line_start = true;
        }
        lexer
    }

    /// Resets the limit of text for a new game.
    pub(super) fn begin_game(&mut self) {
        self.budget = MAX_TEXT;
        self.raw = Some(self.tag_prefix.bytes().to_vec());
    }

    /// Returns the bytes of this game, without those of the next; `None` for a very long one.
    pub(super) fn raw(&self) -> Option<&[u8]> {
        let raw = self.raw.as_deref()?;
        raw.get(..raw.len().checked_sub(self.tag_prefix.bytes().len())?)
    }

    /// Returns the next byte without consuming it.
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
        match &mut self.raw {
            Some(raw) if raw.len() < 2 * MAX_TEXT => raw.push(byte),
            raw => *raw = None,
        }
        self.is_line_start = byte == b'\n';
        self.line += u64::from(byte == b'\n');
        Some(byte)
    }

    fn spend(&mut self, bytes: usize) -> Result<(), PgnErrorKind> {
        self.budget = self.budget.checked_sub(bytes).ok_or(PgnErrorKind::TooLarge("4 MiB of text"))?;
        Ok(())
    }

    /// Moves the next byte to `text`.
    fn take(&mut self, text: &mut Vec<u8>) -> Result<(), PgnErrorKind> {
        self.spend(1)?;
        text.extend(self.bump());
        Ok(())
    }

    fn skip_line(&mut self) {
        while self.bump().is_some_and(|byte| byte != b'\n') {}
    }

    /// Skips white space and escapes, which are lines that begin with `%`.
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

    /// Returns true if the next token is a tag.
    pub(super) fn is_at_tag(&mut self) -> bool {
        self.tag_prefix != TagPrefix::None || self.is_at(b"[")
    }

    /// Returns true if the next token is a comment.
    pub(super) fn is_at_comment(&mut self) -> bool {
        self.tag_prefix == TagPrefix::None && self.is_at(b"{;")
    }

    /// Returns true if the next token is a move, a move number, a result or a glyph, or if there is none.
    pub(super) fn is_at_move(&mut self) -> bool {
        if self.words.is_empty() {
            self.skip_blanks();
            if self.peek().is_none_or(|byte| b"$!?".contains(&byte)) {
                return true;
            }
            match self.word() {
                Ok(Some(Token::Word(first))) => self.words.push(first),
                _ => return true,
            }
        }
        self.words.last().is_some_and(|word| looks_like_move(word))
    }

    /// Skips one word, or one character that belongs to none. Returns false at the end.
    pub(super) fn skip_word(&mut self) -> bool {
        if self.words.pop().is_some() {
            return true;
        }
        self.skip_blanks();
        if self.peek().is_none() {
            return false;
        }
        let is_word = self.word().is_ok_and(|word| word.is_some());
        self.words.clear();
        is_word || self.bump().is_some()
    }

    fn is_at(&mut self, bytes: &[u8]) -> bool {
        if !self.words.is_empty() {
            return false;
        }
        self.skip_blanks();
        self.peek().is_some_and(|byte| bytes.contains(&byte))
    }

    /// Returns the next token; `None` at the end.
    pub(super) fn token(&mut self) -> Result<Option<Token>, PgnErrorKind> {
        self.spend(TOKEN_COST)?;
        if self.tag_prefix != TagPrefix::None {
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
                    return Err(PgnErrorKind::Unexpected(char::from(byte)));
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

    /// Lexes `[Name "value"]`. A quote within the value is escaped, or at least not followed by a bracket.
    fn tag(&mut self) -> Result<Token, PgnErrorKind> {
        let (mut name, mut value) = (Vec::new(), Vec::new());
        let prefix = std::mem::replace(&mut self.tag_prefix, TagPrefix::None);
        if prefix == TagPrefix::Event {
            name.extend(b"Event");
        } else {
            if prefix == TagPrefix::None {
                self.bump();
            }
            self.skip_spaces();
            while self.peek().is_some_and(|byte| byte.is_ascii_alphanumeric() || b"_+#=:-".contains(&byte)) {
                self.take(&mut name)?;
            }
            self.skip_spaces();
            if name.is_empty() || self.peek() != Some(b'"') {
                return Err(PgnErrorKind::Tag);
            }
            self.bump();
        }
        loop {
            match self.peek() {
                None | Some(b'\n') => return Err(PgnErrorKind::Tag),
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
                        // The remaining control characters are white space, which the writer cannot keep.
                        return Ok(Token::Tag(decode(name), decode(value).replace(char::is_control, " ")));
                    }
                    value.push(b'"');
                    value.resize(value.len() + spaces, b' ');
                }
                Some(_) => self.take(&mut value)?,
            }
        }
    }

    /// Skips spaces on this line and returns their number, up to a hundred.
    fn skip_spaces(&mut self) -> usize {
        let mut count = 0;
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r')) {
            self.bump();
            count += 1;
        }
        count.min(100)
    }

    /// Lexes `{...}`. A line that begins like the next game means that the comment was not closed.
    fn comment(&mut self) -> Result<Token, PgnErrorKind> {
        let mut comment = Vec::new();
        let mut line_start = None;
        self.bump();
        loop {
            match self.peek() {
                None => return Err(PgnErrorKind::OpenComment),
                Some(b'}') => {
                    self.bump();
                    return Ok(Token::Comment(one_line(&decode(comment))));
                }
                Some(byte) => {
                    if self.is_line_start {
                        line_start = Some(comment.len());
                    }
                    self.take(&mut comment)?;
                    if byte == b'"' && line_start.and_then(|start| comment.get(start..)) == Some(NEXT_GAME) {
                        self.tag_prefix = TagPrefix::Event;
                        return Err(PgnErrorKind::OpenComment);
                    }
                }
            }
        }
    }

    /// Lexes `; ...`, a comment to the end of the line.
    fn rest_of_line(&mut self) -> Result<Token, PgnErrorKind> {
        let mut comment = Vec::new();
        self.bump();
        while self.peek().is_some_and(|byte| byte != b'\n') {
            self.take(&mut comment)?;
        }
        Ok(Token::Comment(one_line(&decode(comment))))
    }

    fn nag(&mut self) -> Result<Token, PgnErrorKind> {
        let mut digits = Vec::new();
        self.bump();
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.take(&mut digits)?;
        }
        decode(digits).parse().map(Token::Nag).map_err(|_| PgnErrorKind::Nag)
    }

    /// Lexes a suffix such as `!` or `?!`; `None` for an unknown one.
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

    /// Lexes a word; `None` for an invisible one. Words separated by other white space than ASCII are queued.
    fn word(&mut self) -> Result<Option<Token>, PgnErrorKind> {
        let mut word = Vec::new();
        while self.peek().is_some_and(|byte| !byte.is_ascii_whitespace() && !b"{}()[];$!?\"<>\0".contains(&byte)) {
            self.take(&mut word)?;
        }
        // Unicode white space separates words too, and the end of the game may touch the last one: `Nf3*`.
        let word = decode(word);
        let mut words = word
            .split_whitespace()
            .flat_map(|word| {
                let start = word.trim_end_matches('*');
                [start, if start.len() < word.len() { "*" } else { "" }]
            })
            .filter(|word| !word.is_empty())
            .map(str::to_owned);
        let first = words.next().map(Token::Word);
        self.words = words.collect();
        self.words.reverse();
        Ok(first)
    }

    /// Skips to the likely beginning of the next game: a line with a bracket after one without. After an
    /// error `in_tags`, the rest of the tag section is skipped first.
    pub(super) fn skip_to_next_game(&mut self, in_tags: bool) {
        let mut after_tag = in_tags;
        self.words.clear();
        if self.tag_prefix != TagPrefix::None {
            return;
        }
        if !self.is_line_start {
            self.skip_line();
        }
        while let Some(byte) = self.peek() {
            let mut is_tag = byte == b'[';
            if is_tag {
                self.bump();
                // `[%clk ...]` is part of a skipped comment.
                is_tag = self.peek().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b' ');
                if is_tag && !after_tag {
                    self.tag_prefix = TagPrefix::Bracket;
                    return;
                }
            }
            after_tag = is_tag;
            self.skip_line();
        }
    }
}

/// Returns true for a move, a null move, a move number or a result, in any usual notation.
fn looks_like_move(word: &str) -> bool {
    let is_piece_or_square = word.starts_with(|c: char| "abcdefghKQRBNPOo0Z-*½.…@".contains(c) || c.is_ascii_digit());
    let has_digit_or_sign = word.contains(|c: char| c.is_ascii_digit() || "-*½@".contains(c));
    is_piece_or_square && has_digit_or_sign
}

/// Replaces all white space by single spaces.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
