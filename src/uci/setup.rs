//! Positions to search: the words of `position` as a start position and moves.

use super::parse::PositionCommand;
#[cfg(feature = "cli")]
use super::parse::{UciCommand, parse_position};
use crate::position::{Game, Move, Position};

pub(crate) struct SetUp {
    pub(crate) start: Position,
    pub(crate) moves: Vec<Move>,
    /// Sentences about repairs of the FEN.
    pub(crate) repairs: Vec<String>,
}

impl SetUp {
    pub(super) fn new(command: &PositionCommand, chess960: bool) -> Result<Self, String> {
        let mut start = Position::startpos();
        let mut repairs = Vec::new();
        if let Some(fen) = &command.fen {
            let (lenient, faults) = Position::from_lenient_fen(fen).map_err(|error| error.to_string())?;
            start = lenient;
            repairs.extend(faults.iter().map(ToString::to_string));
            // Shredder-FEN and X-FEN with a rook's file mean Chess960, whatever the option.
            let rights = fen.split_ascii_whitespace().nth(2).unwrap_or("-").to_ascii_lowercase();
            if !chess960
                && !rights.contains(|letter| matches!(letter, 'a'..='h'))
                && let Some(standard) = start.without_chess960_rights()
            {
                start = standard;
                repairs.push("castling rights of Chess960 are dropped, as UCI_Chess960 is off".to_owned());
            }
        }
        let (mut position, mut moves) = (start.clone(), Vec::new());
        for (text, number) in command.moves.iter().zip(1..) {
            let mv = position.from_uci(text).map_err(|error| format!("move {number}: {error}"))?;
            position.play(mv);
            moves.push(mv);
        }
        Ok(Self { start, moves, repairs })
    }

    /// Reads `startpos`, a FEN, or `fen` and a FEN, each with or without moves. No word is left out.
    #[cfg(feature = "cli")]
    pub(crate) fn read(words: &str) -> Result<Self, String> {
        let mut commands = parse_position(words.split_whitespace());
        match (commands.pop(), commands.pop()) {
            (Some(UciCommand::Position(position)), None) => Self::new(&position, true),
            (_, Some(UciCommand::Warning(fault))) | (Some(UciCommand::BadPosition(fault)), _) => Err(fault),
            _ => Err("not a position".to_owned()),
        }
    }

    pub(crate) fn game(&self) -> Game {
        let mut game = Game::new(self.start.clone());
        self.moves.iter().for_each(|&mv| game.play(mv));
        game
    }
}
