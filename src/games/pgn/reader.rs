//! The PGN reader: tokens from a byte stream, and one game at a time from the tokens.

use std::io::{self, BufRead};
use std::mem;

use super::game::{Annotation, GameResult, PgnError, PgnErrorKind, PgnGame, Ply, SEVEN_TAG_ROSTER};
use crate::games::movetext::{self, Word};
use crate::games::text::{BYTE_ORDER_MARK, decode};
use crate::position::excerpt;

/// More than the 75-move rule allows.
const MAX_PLIES: usize = 12_000;

const MAX_TAGS: usize = 1_000;

/// Bytes. A thousand moves with a paragraph each need less.
const MAX_TEXT: usize = 4 << 20;

/// Bytes that each token counts besides its text, to limit empty tokens too.
const TOKEN_COST: usize = 4;

const QUOTES: [char; 9] = ['\'', '`', '‘', '’', '“', '”', '„', '«', '»'];

/// The sign within a comment that the comment was not closed.
const NEXT_GAME: &[u8] = b"[Event \"";

/// Tags that may have no quotes where text within brackets could be meant.
const SURE_TAGS: [&str; 3] = ["Event", "Site", "FEN"];

/// Bytes behind a bracket that decide whether it begins a tag.
const BRACKET: usize = 256;

/// Iterates over the games of a stream. After an error, reading continues with the next game that is recognised.
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
    in_tags: bool,
    is_over: bool,
}

impl<R: BufRead> Reader<R> {
    pub fn new(input: R) -> Self {
        Reader { lexer: Lexer::new(input), number: 0, pending_tag: None, in_tags: false, is_over: false }
    }

    /// Returns the last game as it is in the file, even if it could not be parsed; text that is not UTF-8 is decoded. `None` if
    /// longer than 8 MiB.
    pub fn raw_text(&self) -> Option<String> {
        let text = String::from_utf8(self.lexer.raw.clone()?);
        Some(text.unwrap_or_else(|error| decode(error.into_bytes())))
    }

    /// Returns the number of bytes read so far.
    pub fn offset(&self) -> u64 {
        self.lexer.offset
    }

    fn game(&mut self) -> Result<Option<PgnGame>, PgnErrorKind> {
        self.lexer.begin_game();
        let mut game = PgnGame { tags: self.pending_tag.take().into_iter().collect(), ..PgnGame::default() };
        // Comments may stand before the tags, and other text.
        self.comments(&mut game)?;
        if game.tags.is_empty() && self.skip_prose()? {
            game.warnings.push("the text before the first tag is left out".to_owned());
        }
        game.line = self.lexer.line;
        while self.lexer.is_at(b"[") {
            self.in_tags = true;
            let before = self.lexer.raw_len();
            let (name, value) = self.lexer.tag(game.tags.is_empty())?;
            // A game without moves or result precedes.
            if SEVEN_TAG_ROSTER.contains(&name.as_str()) && game.tag(&name).is_some() {
                self.pending_tag = Some((name, value));
                self.lexer.leave_to_next_game(before);
                game.result = game.tag("Result").and_then(GameResult::read).unwrap_or_default();
                return Ok(Some(game));
            }
            if game.tags.len() == MAX_TAGS {
                return Err(PgnErrorKind::TooLarge("1,000 tags"));
            }
            game.tags.push((name, value));
            self.in_tags = false;
            self.comments(&mut game)?;
        }
        let end = self.moves(&mut game)?;
        if game.plies.is_empty() && game.tags.is_empty() && game.comments.is_empty() && end.is_none() {
            // A glyph or a number alone before the next tag is no game.
            return if self.lexer.is_at(b"[") { self.game() } else { Ok(None) };
        }
        let by_tag = game.tag("Result").and_then(GameResult::read).filter(|&result| result != GameResult::Unknown);
        game.result = by_tag.or(end).unwrap_or_default();
        if let Some(end) = end.filter(|&end| end != game.result && end != GameResult::Unknown) {
            let text = format!("the tag Result says {}, the moves end with {end}: the tag counts", game.result);
            game.warnings.push(text);
        }
        Ok(Some(game))
    }

    /// Skips text before the first tag that does not begin like a game. Returns true if there was any.
    fn skip_prose(&mut self) -> Result<bool, PgnErrorKind> {
        if self.lexer.is_at(b"[") || self.lexer.is_at_move() {
            return Ok(false);
        }
        let mut has_text = false;
        while !self.lexer.is_at_tag() && self.lexer.skip_word() {
            has_text = true;
        }
        Ok(has_text)
    }

    fn comments(&mut self, game: &mut PgnGame) -> Result<(), PgnErrorKind> {
        while self.lexer.is_at(b"{;") || self.lexer.bracket().is_some_and(|text| text.starts_with('%')) {
            if let Some(Token::Comment(comment)) = self.lexer.token()? {
                game.comments.push(comment);
            }
        }
        Ok(())
    }

    /// Returns the game termination marker, if there is one before the next game.
    fn moves(&mut self, game: &mut PgnGame) -> Result<Option<GameResult>, PgnErrorKind> {
        let (mut has_text, mut has_stray) = (false, false);
        while !self.lexer.is_at_tag() {
            let Some(token) = self.lexer.token()? else { return Ok(None) };
            let line = self.lexer.token_line;
            let mut warn_of_stray = |game: &mut PgnGame, text: String| {
                if !mem::replace(&mut has_stray, true) {
                    game.warnings.push(format!("line {line}: {text}"));
                }
            };
            match token {
                Token::Word(word) => {
                    if let Some(result) = self.result(&word) {
                        return Ok(Some(result));
                    }
                    match Word::read(&word) {
                        Word::Move(san, nags) => {
                            if game.plies.len() == MAX_PLIES {
                                return Err(PgnErrorKind::TooLarge("12,000 plies"));
                            }
                            game.plies.push(Ply { san, nags, line, ..Ply::default() });
                        }
                        Word::Glyphs(nags) => game.last_nags().extend(nags),
                        Word::Text => {
                            if !has_text {
                                let text =
                                    format!("line {line}: {:?} is not a move: kept as a comment", excerpt(&word));
                                game.warnings.push(text);
                                has_text = true;
                            }
                            let text = self.text(word);
                            game.add_comment(text);
                        }
                    }
                }
                Token::Comment(comment) => game.add_comment(comment),
                Token::Nag(nag) => game.last_nags().push(nag),
                Token::Open => {
                    let variation = self.variation(str::to_owned)?;
                    self.lexer.token_line = line;
                    let Some(ply) = game.plies.last_mut() else {
                        warn_of_stray(game, "a variation before the first move is kept as a comment".to_owned());
                        game.comments.push(format!("({variation})"));
                        continue;
                    };
                    match (ply.san.as_bytes(), variation.as_bytes()) {
                        // `a8(Q)`
                        ([b'a'..=b'h', .., b'1' | b'8'], [piece]) if piece.is_ascii_alphabetic() => {
                            ply.san = format!("{}={}", ply.san, variation.to_ascii_uppercase());
                        }
                        _ => ply.annotations.push(Annotation::Variation(variation)),
                    }
                }
                Token::Close => warn_of_stray(game, "')' without '(' is left out".to_owned()),
                Token::Stray(sign) => warn_of_stray(game, format!("{sign:?} without a meaning is left out")),
            }
        }
        Ok(None)
    }

    /// Returns the result that begins with this word, as in `1 - 0` or `1/2 : 1/2`, and takes its other words.
    fn result(&mut self, first: &str) -> Option<GameResult> {
        const MOST_WORDS: usize = 7;
        let is_part = |word: &str| movetext::plain(word).chars().all(|letter| "0125½/.,:-".contains(letter));
        let is_whole = |word: &str| movetext::plain(word).contains(['-', ':']) && GameResult::read(word).is_some();
        let mut words = vec![first.to_owned()];
        let mut ends = vec![self.lexer.raw_len()];
        while is_part(first)
            && !is_whole(first)
            && words.len() < MOST_WORDS
            && let Some(word) = self.lexer.next_word(is_part)
        {
            words.push(word);
            ends.push(self.lexer.raw_len());
        }
        let read = |count| Some((count, GameResult::read(&words.get(..count)?.concat())?));
        let found = (1..=words.len()).rev().find_map(read);
        self.lexer.words.extend(words.drain(found.map_or(1, |(count, _)| count)..).rev());
        let (count, result) = found?;
        self.lexer.leave_to_next_game(ends.get(count - 1).copied().unwrap_or_default());
        Some(result)
    }

    /// Takes all following words that are none of a game.
    fn text(&mut self, mut text: String) -> String {
        let is_text = |word: &str| Word::read(word) == Word::Text && GameResult::read(word).is_none();
        while let Some(word) = self.lexer.next_word(is_text) {
            text.push(' ');
            text += &word;
        }
        text
    }

    /// Returns the text of the variation just opened, with changed words. No nesting is too deep.
    pub(super) fn variation(&mut self, change: impl Fn(&str) -> String) -> Result<String, PgnErrorKind> {
        let start = self.lexer.token_line;
        let mut text = String::new();
        let mut depth = 1u32;
        loop {
            let token = if self.lexer.is_at_tag() { None } else { self.lexer.token()? };
            let word = match token {
                None => {
                    self.lexer.token_line = start;
                    return Err(PgnErrorKind::OpenVariation);
                }
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
                Some(Token::Stray(_)) => continue,
                Some(Token::Word(word)) => change(&word),
                Some(Token::Nag(nag)) => format!("${nag}"),
                Some(Token::Comment(comment)) => format!("{{{}}}", comment.replace('}', ")")),
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
        self.in_tags = false;
        let game = self.game().transpose();
        self.number += 1;
        self.is_over = matches!(game, None | Some(Err(PgnErrorKind::Io(_))));
        game.map(|game| match game {
            Ok(game) => Ok(PgnGame { number: self.number, ..game }),
            Err(kind) => {
                let error = PgnError { game: self.number, line: self.lexer.token_line, kind };
                if !self.is_over {
                    self.lexer.skip_to_next_game(self.in_tags);
                }
                Err(error)
            }
        })
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Comment(String),
    Open,
    Close,
    Nag(u8),
    Word(String),
    /// A sign that means nothing where it stands.
    Stray(char),
}

struct Lexer<R> {
    input: R,
    offset: u64,
    /// Bytes that were read to recognise what they begin, in reverse order.
    unread: Vec<u8>,
    line: u64,
    token_line: u64,
    is_line_start: bool,
    /// Bytes that this game may still have.
    budget: usize,
    failure: Option<io::Error>,
    /// Words found with the last one, in reverse order.
    words: Vec<String>,
    /// This game so far; `None` beyond twice [`MAX_TEXT`].
    raw: Option<Vec<u8>>,
    /// The start of the next game, which was read with this one.
    next_raw: Vec<u8>,
}

impl<R: BufRead> Lexer<R> {
    fn new(input: R) -> Self {
        let mut lexer = Lexer {
            input,
            offset: 0,
            unread: Vec::new(),
            line: 1,
            token_line: 1,
            is_line_start: true,
            budget: MAX_TEXT,
            failure: None,
            words: Vec::new(),
            raw: None,
            next_raw: Vec::new(),
        };
        if lexer.peek() == BYTE_ORDER_MARK.first().copied() {
            BYTE_ORDER_MARK.iter().for_each(|_| _ = lexer.bump());
            lexer.is_line_start = true;
        }
        lexer
    }

    fn begin_game(&mut self) {
        self.budget = MAX_TEXT;
        self.raw = Some(mem::take(&mut self.next_raw));
    }

    fn raw_len(&self) -> usize {
        self.raw.as_ref().map_or(0, Vec::len)
    }

    /// Moves the raw text from this place on to the next game.
    fn leave_to_next_game(&mut self, place: usize) {
        if let Some(raw) = &mut self.raw {
            self.next_raw = raw.split_off(place.min(raw.len()));
        }
    }

    fn peek(&mut self) -> Option<u8> {
        self.peek_raw().map(|byte| if byte == b'\r' { b'\n' } else { byte })
    }

    fn peek_raw(&mut self) -> Option<u8> {
        if let Some(&byte) = self.unread.last() {
            return Some(byte);
        }
        while self.failure.is_none() {
            match self.input.fill_buf() {
                Ok(buffer) => return buffer.first().copied(),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => self.failure = Some(error),
            }
        }
        None
    }

    fn bump(&mut self) -> Option<u8> {
        let byte = self.peek_raw()?;
        if self.unread.pop().is_none() {
            self.input.consume(1);
            self.offset += 1;
        }
        match &mut self.raw {
            Some(raw) if raw.len() < 2 * MAX_TEXT => raw.push(byte),
            raw => *raw = None,
        }
        // Both bytes are one end of a line.
        if byte == b'\r' && self.peek_raw() == Some(b'\n') {
            return self.bump();
        }
        self.is_line_start = matches!(byte, b'\r' | b'\n');
        self.line += u64::from(self.is_line_start);
        Some(if self.is_line_start { b'\n' } else { byte })
    }

    /// Puts back the bytes just read, which are on one line.
    fn unread(&mut self, bytes: &[u8], is_line_start: bool) {
        self.unread.extend(bytes.iter().rev());
        self.is_line_start = is_line_start;
        if let Some(raw) = &mut self.raw {
            raw.truncate(raw.len().saturating_sub(bytes.len()));
        }
    }

    fn spend(&mut self, bytes: usize) -> Result<(), PgnErrorKind> {
        self.budget = self.budget.checked_sub(bytes).ok_or(PgnErrorKind::TooLarge("4 MiB of text"))?;
        Ok(())
    }

    fn take(&mut self, text: &mut Vec<u8>) -> Result<(), PgnErrorKind> {
        self.spend(1)?;
        text.extend(self.bump());
        Ok(())
    }

    fn take_while(&mut self, is_part: impl Fn(u8) -> bool) -> Result<Vec<u8>, PgnErrorKind> {
        let mut text = Vec::new();
        while self.peek().is_some_and(&is_part) {
            self.take(&mut text)?;
        }
        Ok(text)
    }

    fn skip_line(&mut self) {
        while self.bump().is_some_and(|byte| byte != b'\n') {}
    }

    /// Also skips escapes: lines that begin with `%`.
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

    fn is_at(&mut self, bytes: &[u8]) -> bool {
        self.skip_blanks();
        // An invisible word: a byte order mark or an end of file between joined files.
        while self.words.is_empty() && self.peek().is_some_and(|byte| !byte.is_ascii_graphic()) {
            let Ok(word) = self.word() else { return false };
            if let Some(Token::Word(word)) = word {
                self.words.push(word);
            }
            self.skip_blanks();
        }
        self.words.is_empty() && self.peek().is_some_and(|byte| bytes.contains(&byte))
    }

    /// Returns the text from the next bracket to its end or that of the line, without taking it; `None` before anything else.
    fn bracket(&mut self) -> Option<String> {
        if !self.is_at(b"[") {
            return None;
        }
        let (is_line_start, mut text) = (self.is_line_start, Vec::new());
        self.bump();
        while text.len() < BRACKET
            && let Some(byte) = self.peek().filter(|byte| !b"]\n".contains(byte))
        {
            text.push(byte);
            self.bump();
        }
        self.unread(&[b"[", text.as_slice()].concat(), is_line_start);
        Some(decode(text))
    }

    /// Returns false before `[%clk 0:01:00]` or `[White to move]`, for example.
    fn is_at_tag(&mut self) -> bool {
        self.bracket().is_some_and(|text| {
            let text = text.trim_start();
            let value = text.trim_start_matches(|letter: char| letter.is_ascii() && is_in_name(letter as u8));
            let name = text.strip_suffix(value).unwrap_or_default();
            let inner = value.trim_start();
            let is_apart = inner.len() < value.len();
            let is_quoted = inner.starts_with('"') || is_apart && inner.starts_with(QUOTES);
            !name.is_empty() && (is_quoted || is_apart && SURE_TAGS.contains(&name))
        })
    }

    /// Returns the next word without taking it; `None` before anything else.
    fn peek_word(&mut self) -> Option<&str> {
        if self.words.is_empty() {
            self.skip_blanks();
            if let Ok(Some(Token::Word(word))) = self.word() {
                self.words.push(word);
            }
        }
        self.words.last().map(String::as_str)
    }

    fn next_word(&mut self, is_wanted: impl Fn(&str) -> bool) -> Option<String> {
        if self.peek_word().is_some_and(is_wanted) { self.words.pop() } else { None }
    }

    /// Returns true for a move, a move number, a result, a glyph, or the end.
    fn is_at_move(&mut self) -> bool {
        self.peek_word().is_none_or(|word| match Word::read(word) {
            Word::Move(..) => true,
            Word::Glyphs(glyphs) => !glyphs.is_empty() || word.starts_with(|c: char| c == '.' || c.is_ascii_digit()),
            Word::Text => GameResult::read(word).is_some(),
        })
    }

    /// Skips one word, or one character outside of words. Returns false at the end.
    fn skip_word(&mut self) -> bool {
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

    fn token(&mut self) -> Result<Option<Token>, PgnErrorKind> {
        self.token_line = self.line;
        self.spend(TOKEN_COST)?;
        if let Some(word) = self.words.pop() {
            return Ok(Some(Token::Word(word)));
        }
        loop {
            self.skip_blanks();
            self.token_line = self.line;
            let Some(byte) = self.peek() else {
                return self.failure.take().map_or(Ok(None), |error| Err(error.into()));
            };
            if !b"[{;()$!?}]\"".contains(&byte) {
                match self.word()? {
                    Some(word) => return Ok(Some(word)),
                    None => continue,
                }
            }
            self.bump();
            return Ok(Some(match byte {
                b'{' => self.comment()?,
                b';' => Token::Comment(one_line(self.take_while(|byte| byte != b'\n')?)),
                b'(' => Token::Open,
                b')' => Token::Close,
                b'$' => {
                    let digits = self.take_while(|byte| byte.is_ascii_digit())?;
                    decode(digits).parse().map_or(Token::Stray('$'), Token::Nag)
                }
                b'[' => {
                    let text = self.take_while(|byte| !b"]\n".contains(&byte))?;
                    if self.peek() == Some(b']') {
                        self.bump();
                        Token::Comment(format!("[{}]", one_line(text)))
                    } else {
                        self.unread(&text, false);
                        Token::Stray('[')
                    }
                }
                b']' | b'"' => Token::Stray(char::from(byte)),
                b'!' | b'?' => {
                    let others = self.take_while(|byte| b"!?".contains(&byte))?;
                    // Two of `????` count.
                    let signs = decode([byte].into_iter().chain(others.into_iter().take(1)).collect());
                    match movetext::glyphs(&signs).as_deref() {
                        Some(&[glyph]) => Token::Nag(glyph),
                        _ => continue,
                    }
                }
                other => return Err(PgnErrorKind::Unexpected(char::from(other))),
            }));
        }
    }

    /// Reads `[Name "value"]`, also with other quotes, or none if it cannot be a remark such as `[White to move]`.
    fn tag(&mut self, is_first: bool) -> Result<(String, String), PgnErrorKind> {
        self.skip_blanks();
        self.token_line = self.line;
        self.spend(TOKEN_COST)?;
        self.bump();
        self.skip_spaces();
        let name = decode(self.take_while(is_in_name)?);
        let spaces = self.skip_spaces();
        if name.is_empty() {
            return Err(PgnErrorKind::Tag);
        }
        if self.peek() != Some(b'"') {
            let rest = decode(self.take_while(|byte| byte != b'\n')?);
            let value = rest.trim_end().strip_suffix(']').map(str::trim).unwrap_or_default();
            let inner = value.strip_prefix(QUOTES).and_then(|inner| inner.strip_suffix(QUOTES));
            let is_tag = inner.is_some() || !is_first || SURE_TAGS.contains(&name.as_str());
            if spaces == 0 || value.is_empty() || !is_tag {
                return Err(PgnErrorKind::Tag);
            }
            return Ok((name, inner.unwrap_or(value).replace(char::is_control, " ")));
        }
        self.bump();
        let mut value = Vec::new();
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
                        return Ok((name, decode(value).replace(char::is_control, " ")));
                    }
                    value.push(b'"');
                    value.resize(value.len() + spaces, b' ');
                }
                Some(_) => self.take(&mut value)?,
            }
        }
    }

    /// Stays on this line. Returns the number of spaces, at most a hundred.
    fn skip_spaces(&mut self) -> usize {
        let mut count = 0;
        while matches!(self.peek(), Some(b' ' | b'\t')) {
            self.bump();
            count += 1;
        }
        count.min(100)
    }

    fn comment(&mut self) -> Result<Token, PgnErrorKind> {
        let mut comment = Vec::new();
        let mut line_start = None;
        loop {
            match self.peek() {
                None => return Err(PgnErrorKind::OpenComment),
                Some(b'}') => {
                    self.bump();
                    return Ok(Token::Comment(one_line(comment)));
                }
                Some(byte) => {
                    if self.is_line_start {
                        line_start = Some(comment.len());
                    }
                    self.take(&mut comment)?;
                    if byte == b'"' && line_start.and_then(|start| comment.get(start..)) == Some(NEXT_GAME) {
                        self.unread(NEXT_GAME, true);
                        return Err(PgnErrorKind::OpenComment);
                    }
                }
            }
        }
    }

    /// Returns `None` for an invisible word. Queues words that are separated by other white space than ASCII.
    fn word(&mut self) -> Result<Option<Token>, PgnErrorKind> {
        let is_part = |byte: u8| !byte.is_ascii_whitespace() && !b"{}()[];$!?\"\0".contains(&byte);
        let text = decode(self.take_while(is_part)?);
        // The end of the game may touch the last word, as in `Nf3*`, and invisible letters that.
        for word in text.split_whitespace().rev() {
            let is_end = |letter: char| letter == '*' || movetext::plain(&letter.to_string()).is_empty();
            let start = word.trim_end_matches(is_end);
            let end = if word.get(start.len()..).is_some_and(|end| end.contains('*')) { "*" } else { "" };
            self.words.extend([end, start].into_iter().filter(|word| !word.is_empty()).map(str::to_owned));
        }
        Ok(self.words.pop().map(Token::Word))
    }

    /// Looks for a line with a bracket after one without. After an error `in_tags`, skips the rest of the tag section first.
    fn skip_to_next_game(&mut self, in_tags: bool) {
        let mut after_tag = in_tags;
        self.words.clear();
        if self.unread.last() == Some(&b'[') {
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
                    self.unread(b"[", true);
                    return;
                }
            }
            after_tag = is_tag;
            self.skip_line();
        }
    }
}

fn is_in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_+#=:-".contains(&byte)
}

fn one_line(text: Vec<u8>) -> String {
    decode(text).split_whitespace().collect::<Vec<_>>().join(" ")
}
