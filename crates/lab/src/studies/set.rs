//! The larger set of positions: sequences from self-play games of Sesame 0.1.0.

use sesame::position::{FenError, Position};

/// The committed set, made by `sesame lab positions` of Sesame 0.1.0 with its hand-written evaluation.
const LARGER: &str = include_str!("../larger.epd");

/// Consecutive positions of one player in one game.
#[derive(Clone, Debug, PartialEq)]
pub struct Sequence {
    /// The number of the game, from 1.
    pub number: u32,
    /// True for an endgame, false for a middle game.
    pub is_endgame: bool,
    /// The positions, with the plies played before each.
    pub positions: Vec<(u32, Position)>,
}

/// Sequences of positions from games.
#[derive(Clone, Debug, PartialEq)]
pub struct PositionSet {
    /// The sequences, in order.
    pub sequences: Vec<Sequence>,
}

/// An error in a file of positions.
#[derive(Debug, thiserror::Error)]
pub enum SetError {
    /// A line is not a position.
    #[error("position {line}: {source}")]
    Fen {
        /// The number of the line, from 1.
        line: usize,
        /// The problem.
        source: FenError,
    },
    /// A line does not name its game and ply.
    #[error("position {0} lacks an id such as \"game 1 ply 28 middle game\"")]
    Id(usize),
}

impl PositionSet {
    /// Returns the larger set.
    ///
    /// # Errors
    /// None in practice: a test parses the compiled-in file.
    pub fn larger() -> Result<Self, SetError> {
        Self::parse(LARGER)
    }

    /// Parses positions in EPD, one per line, with `hmvc`, `fmvn` and an `id` such as `"game 1 ply 28 middle
    /// game"`.
    ///
    /// # Errors
    /// If a line is not a position or lacks its `id`.
    pub fn parse(text: &str) -> Result<Self, SetError> {
        let mut sequences: Vec<Sequence> = Vec::new();
        for (line, number) in text.lines().zip(1..) {
            let position = parse_position(line).map_err(|source| SetError::Fen { line: number, source })?;
            let id = operand(line, "id").ok_or(SetError::Id(number))?;
            let words: Vec<&str> = id.trim_matches('"').split(' ').collect();
            let ["game", game, "ply", ply, phase @ ..] = words.as_slice() else { return Err(SetError::Id(number)) };
            let (Ok(game), Ok(ply)) = (game.parse(), ply.parse()) else { return Err(SetError::Id(number)) };
            let is_endgame = phase == ["endgame"];
            match sequences.last_mut() {
                Some(last) if last.number == game => last.positions.push((ply, position)),
                _ => sequences.push(Sequence { number: game, is_endgame, positions: vec![(ply, position)] }),
            }
        }
        Ok(Self { sequences })
    }

    /// Formats the positions as [`PositionSet::parse`] reads them.
    pub fn epd(&self) -> String {
        let mut text = String::new();
        for sequence in &self.sequences {
            let phase = if sequence.is_endgame { "endgame" } else { "middle game" };
            for (ply, position) in &sequence.positions {
                let fen = position.fen(false);
                let fields: Vec<&str> = fen.split(' ').take(4).collect();
                text += &format!(
                    "{} hmvc {}; fmvn {}; id \"game {} ply {ply} {phase}\";\n",
                    fields.join(" "),
                    position.halfmove_clock(),
                    position.fullmove_number(),
                    sequence.number,
                );
            }
        }
        text
    }

    /// Returns the first `count` sequences.
    pub fn first(&self, count: usize) -> Self {
        Self { sequences: self.sequences.iter().take(count).cloned().collect() }
    }

    /// Returns a hash of the positions, their games and plies: FNV-1a over [`PositionSet::epd`]. It
    /// identifies them in results files.
    pub fn hash(&self) -> u64 {
        let step = |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
        self.epd().bytes().fold(0xCBF2_9CE4_8422_2325, step)
    }

    /// Returns the number of positions.
    pub fn len(&self) -> usize {
        self.sequences.iter().map(|sequence| sequence.positions.len()).sum()
    }

    /// Returns true if there are no positions.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Parses the position of an EPD line, with its clocks.
fn parse_position(line: &str) -> Result<Position, FenError> {
    let fields: Vec<&str> = line.split_ascii_whitespace().take(4).collect();
    let clock = |name| operand(line, name).unwrap_or_default();
    Position::from_fen(&format!("{} {} {}", fields.join(" "), clock("hmvc"), clock("fmvn")))
}

/// Returns the operand of an EPD operation.
fn operand<'a>(line: &'a str, operation: &str) -> Option<&'a str> {
    let (_, rest) = line.split_once(&format!(" {operation} "))?;
    rest.split(';').next()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sesame::position::{Color, Piece};

    /// Sequences in the set, alternately middle games and endgames.
    const SEQUENCES: usize = 16;
    /// Positions in a sequence, all of them with the same side to move.
    const LENGTH: usize = 14;
    /// The material of an endgame in hundredths of a point: "a position in which at least one side has fewer than
    /// 18 points of material" (Breuker et al., section 5).
    const ENDGAME_BELOW: u32 = 1_800;
    /// The paper's piece values in hundredths of a point, by [`Piece`].
    const POINTS: [u32; Piece::NUM] = [100, 325, 325, 500, 900, 0];

    /// Returns true for an endgame by the definition of [`ENDGAME_BELOW`].
    fn is_endgame_position(position: &Position) -> bool {
        Color::ALL.into_iter().any(|color| {
            let points = |piece| position.colored(color, piece).len() * POINTS[piece as usize];
            Piece::ALL.into_iter().map(points).sum::<u32>() < ENDGAME_BELOW
        })
    }

    #[test]
    fn larger_set_is_complete() {
        let set = PositionSet::larger().unwrap();
        assert!(set.len() >= 200, "{}", set.len());
        assert_eq!(set.sequences.len(), SEQUENCES);
        assert_eq!(set.epd(), LARGER);
        assert_ne!(set.hash(), set.first(SEQUENCES - 1).hash());
        for (sequence, number) in set.sequences.iter().zip(1..) {
            assert_eq!(sequence.number, number);
            assert_eq!(sequence.positions.len(), LENGTH);
            assert_eq!(sequence.is_endgame, number % 2 == 0);
            for pair in sequence.positions.windows(2) {
                let ((ply, before), (next_ply, after)) = (&pair[0], &pair[1]);
                assert_eq!(ply + 2, *next_ply);
                assert!(is_one_move_each_apart(before, after), "{before} to {after}");
            }
            for (_, position) in &sequence.positions {
                assert!(position.has_legal_move());
                // No sequence changes its phase.
                assert_eq!(is_endgame_position(position), sequence.is_endgame, "{position}");
            }
        }
        let phases = |is_endgame| set.sequences.iter().filter(|sequence| sequence.is_endgame == is_endgame).count();
        assert_eq!(phases(true), phases(false));
    }

    fn is_one_move_each_apart(before: &Position, after: &Position) -> bool {
        before.legal_moves().iter().any(|&mv| {
            let mut between = before.clone();
            between.play(mv);
            between.legal_moves().iter().any(|&reply| {
                let mut last = between.clone();
                last.play(reply);
                last == *after
            })
        })
    }

    #[test]
    fn malformed_lines_are_refused() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
        let read = |line: &str| PositionSet::parse(line);
        assert!(read(&format!("{start} hmvc 0; fmvn 1; id \"game 1 ply 0 middle game\";")).is_ok());
        assert!(matches!(read(&format!("{start} hmvc 0; fmvn 1;")), Err(SetError::Id(1))));
        assert!(matches!(read("8/8 w - - hmvc 0; fmvn 1; id \"game 1 ply 0 endgame\";"), Err(SetError::Fen { .. })));
    }
}
