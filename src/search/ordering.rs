//! Staged move picker.
//!
//! Stages: TT move, good captures (victim's value plus capture history), killers and counter move, quiet moves by history,
//! bad captures. Source: <https://www.chessprogramming.org/Move_Ordering>.

use arrayvec::ArrayVec;

use super::history::{ContinuationKeys, Histories, PieceTo, Quiet};
use super::params::{capture_history_divisor, check_bonus};
use super::threats::{CheckSquares, Threats};
use crate::position::{MAX_MOVES, Move, MoveList, Piece, Position, SEE_VALUES};

#[derive(Debug, Clone, Copy, Default)]
pub struct Hints {
    pub tt_move: Option<Move>,
    /// Two killers and the counter move; possibly illegal.
    pub refutations: [Option<Move>; 3],
    pub continuation: ContinuationKeys,
    pub threats: Threats,
    pub checks: CheckSquares,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quiets {
    All,
    /// Direct checks only: see [`CheckSquares`].
    Checks,
    None,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    TtMove,
    GenerateNoisy,
    GoodNoisy,
    Refutations,
    GenerateQuiet,
    Quiet,
    BadNoisy,
    Done,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    GoodNoisy,
    Quiet,
    BadNoisy,
}

/// Returns each legal move exactly once, best first.
pub struct MovePicker {
    stage: Stage,
    hints: Hints,
    /// Minimum gain of a good capture by static exchange evaluation.
    threshold: i32,
    with_quiets: bool,
    moves: MoveList,
    scores: ArrayVec<i32, MAX_MOVES>,
    next: usize,
    bad: MoveList,
    next_bad: usize,
    next_refutation: usize,
    checks_only: bool,
    /// Quiet moves without check were excluded. A move that came before (TT move, refutation) counts as well.
    pub left_out_quiets: bool,
}

impl MovePicker {
    pub fn all(hints: Hints) -> Self {
        Self::new(hints, 0, true)
    }

    /// Returns captures that gain at least `threshold` first.
    pub fn noisy(tt_move: Option<Move>, threshold: i32) -> Self {
        Self::new(Hints { tt_move, ..Hints::default() }, threshold, false)
    }

    fn new(hints: Hints, threshold: i32, with_quiets: bool) -> Self {
        Self {
            stage: if hints.tt_move.is_some() { Stage::TtMove } else { Stage::GenerateNoisy },
            hints,
            threshold,
            with_quiets,
            moves: MoveList::new(),
            scores: ArrayVec::new(),
            next: 0,
            bad: MoveList::new(),
            next_bad: 0,
            next_refutation: 0,
            checks_only: false,
            left_out_quiets: false,
        }
    }

    /// Quiet moves that `quiets` once excludes never come later.
    #[inline(always)]
    pub fn next(&mut self, position: &Position, histories: &Histories, quiets: Quiets) -> Option<(Move, Class)> {
        let is_excluded = |hints: &Hints, mv| quiets == Quiets::Checks && !hints.checks.has(position, mv);
        loop {
            match self.stage {
                Stage::TtMove => {
                    self.stage = Stage::GenerateNoisy;
                    let class = |mv| if position.is_noisy(mv) { Class::GoodNoisy } else { Class::Quiet };
                    return self.hints.tt_move.map(|mv| (mv, class(mv)));
                }
                Stage::GenerateNoisy => {
                    position.noisy_moves(&mut self.moves);
                    self.score_noisy(position, histories);
                    self.stage = Stage::GoodNoisy;
                }
                Stage::GoodNoisy => match self.pick() {
                    Some(mv) if Some(mv) == self.hints.tt_move => {}
                    Some(mv) if position.see_ge(mv, self.good_capture_threshold(position, histories, mv)) => {
                        return Some((mv, Class::GoodNoisy));
                    }
                    Some(mv) => self.bad.push(mv),
                    None => self.stage = if self.with_quiets { Stage::Refutations } else { Stage::BadNoisy },
                },
                Stage::Refutations => {
                    if quiets == Quiets::None {
                        self.stage = Stage::BadNoisy;
                        continue;
                    }
                    let Some(&refutation) = self.hints.refutations.get(self.next_refutation) else {
                        self.stage = Stage::GenerateQuiet;
                        continue;
                    };
                    self.next_refutation += 1;
                    if let Some(mv) = refutation
                        && Some(mv) != self.hints.tt_move
                        && !self.hints.refutations[..self.next_refutation - 1].contains(&refutation)
                        && position.is_legal(mv)
                        && !position.is_noisy(mv)
                        && !is_excluded(&self.hints, mv)
                    {
                        return Some((mv, Class::Quiet));
                    }
                }
                Stage::GenerateQuiet => {
                    self.moves.clear();
                    self.scores.clear();
                    self.next = 0;
                    match quiets {
                        Quiets::All => position.quiet_moves(&mut self.moves),
                        Quiets::Checks => {
                            let checks = |piece| self.hints.checks.by(piece);
                            self.left_out_quiets = position.quiet_moves_to(checks, &mut self.moves);
                        }
                        Quiets::None => {}
                    }
                    self.checks_only = quiets == Quiets::Checks;
                    self.score_quiet(position, histories);
                    self.stage = Stage::Quiet;
                }
                Stage::Quiet => {
                    if quiets == Quiets::None {
                        self.stage = Stage::BadNoisy;
                        continue;
                    }
                    if quiets == Quiets::Checks && !self.checks_only {
                        self.keep_checks(position);
                    }
                    match self.pick() {
                        Some(mv) if Some(mv) == self.hints.tt_move || self.hints.refutations.contains(&Some(mv)) => {}
                        Some(mv) => return Some((mv, Class::Quiet)),
                        None => self.stage = Stage::BadNoisy,
                    }
                }
                Stage::BadNoisy => match self.bad.get(self.next_bad) {
                    Some(&mv) => {
                        self.next_bad += 1;
                        return Some((mv, Class::BadNoisy));
                    }
                    None => self.stage = Stage::Done,
                },
                Stage::Done => return None,
            }
        }
    }

    /// Capture history changes the minimum gain by up to 128 centipawns in the main search.
    #[inline]
    fn good_capture_threshold(&self, position: &Position, histories: &Histories, mv: Move) -> i32 {
        if !self.with_quiets {
            return self.threshold;
        }
        let piece_to = PieceTo::new(position.side_to_move(), position.moved(mv), mv);
        self.threshold - histories.capture(piece_to, position.captured(mv)) / capture_history_divisor()
    }

    #[cold]
    fn keep_checks(&mut self, position: &Position) {
        let mut kept = self.next;
        for index in self.next..self.moves.len() {
            if self.hints.checks.has(position, self.moves[index]) {
                self.moves.swap(kept, index);
                self.scores.swap(kept, index);
                kept += 1;
            }
        }
        self.left_out_quiets = kept < self.moves.len();
        self.moves.truncate(kept);
        self.scores.truncate(kept);
        self.checks_only = true;
    }

    #[inline(always)]
    fn pick(&mut self) -> Option<Move> {
        let start = self.next;
        let left = self.scores.get(start..)?;
        let mut best = 0;
        let mut best_score = *left.first()?;
        for (index, &score) in left.iter().enumerate().skip(1) {
            if score > best_score {
                (best, best_score) = (index, score);
            }
        }
        self.moves.swap(start, start + best);
        self.scores.swap(start, start + best);
        self.next += 1;
        Some(self.moves[start])
    }

    #[inline(always)]
    fn score_noisy(&mut self, position: &Position, histories: &Histories) {
        let color = position.side_to_move();
        for &mv in &self.moves {
            let captured = position.captured(mv);
            let piece_to = PieceTo::new(color, position.moved(mv), mv);
            let victim = captured.map_or(0, |piece| SEE_VALUES[piece as usize]);
            let promotion = if mv.promotion() == Some(Piece::Queen) { SEE_VALUES[Piece::Queen as usize] } else { 0 };
            self.scores.push((victim + promotion) * 16 + histories.capture(piece_to, captured));
        }
    }

    #[inline(always)]
    fn score_quiet(&mut self, position: &Position, histories: &Histories) {
        let color = position.side_to_move();
        let Hints { continuation, threats, checks, .. } = self.hints;
        let lesser = threats.by_lesser();
        for &mv in &self.moves {
            let piece = position.moved(mv);
            let piece_to = PieceTo::new(color, piece, mv);
            let bonus = if checks.has(position, mv) { check_bonus() } else { 0 };
            let (attacked, weight) = lesser[piece as usize];
            let safety = weight * (i32::from(attacked.has(mv.from())) - i32::from(attacked.has(mv.to())));
            let quiet = Quiet { color, mv, piece_to, continuation, threats: threats.all };
            self.scores.push(histories.quiet(quiet) + bonus + safety);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picked(position: &Position, hints: Hints) -> Vec<(Move, Class)> {
        let histories = Histories::default();
        let mut picker = MovePicker::all(hints);
        std::iter::from_fn(|| picker.next(position, &histories, Quiets::All)).collect()
    }

    #[test]
    fn every_legal_move_is_picked_exactly_once() {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
            "4k3/8/8/8/8/8/4r3/4K3 w - - 0 1",
        ] {
            let position = Position::from_fen(fen).unwrap();
            let mut legal: Vec<Move> = position.legal_moves().to_vec();
            legal.sort_by_key(|mv| mv.bits());
            // Every pair of moves as TT move and killer, and a word that is no legal move.
            let illegal = Move::from_bits(0x7fff);
            for &tt_move in &legal {
                for &killer in &legal {
                    let hints = Hints {
                        tt_move: Some(tt_move),
                        refutations: [Some(killer), illegal, Some(killer)],
                        ..Hints::default()
                    };
                    let mut moves: Vec<Move> = picked(&position, hints).into_iter().map(|(mv, _)| mv).collect();
                    assert_eq!(moves[0], tt_move);
                    moves.sort_by_key(|mv| mv.bits());
                    assert_eq!(moves, legal);
                }
            }
        }
    }

    #[test]
    fn only_checks_are_picked_when_quiets_are_narrowed() {
        let position = Position::from_fen("3r2k1/5ppp/8/1p2q3/8/1B1N4/3Q1PPP/3R2K1 b - - 0 1").unwrap();
        let hints = Hints { checks: CheckSquares::of(&position), ..Hints::default() };
        // All quiet moves up to the first one, from then on only checks; or only checks from the start.
        let narrowed = |hints, histories: &Histories, mut quiets| {
            let mut picker = MovePicker::all(hints);
            let moves = std::iter::from_fn(|| {
                let next = picker.next(&position, histories, quiets)?;
                if next.1 == Class::Quiet {
                    quiets = Quiets::Checks;
                }
                Some(next)
            });
            moves.collect::<Vec<_>>()
        };
        let all = picked(&position, hints);
        let is_expected = |&(mv, class): &(Move, Class)| class != Class::Quiet || hints.checks.has(&position, mv);
        let checks: Vec<_> = all.iter().copied().filter(is_expected).collect();
        let first_quiet = checks.iter().position(|&(_, class)| class == Class::Quiet).expect("there is a quiet check");
        assert_eq!(narrowed(hints, &Histories::default(), Quiets::Checks), checks);

        // Two killers that give no check: none is picked, or the first one only.
        let [first, second] = ["g8f8", "h7h6"].map(|mv| position.from_uci(mv).unwrap());
        let with_killers = Hints { refutations: [Some(first), Some(second), None], ..hints };
        assert_eq!(narrowed(with_killers, &Histories::default(), Quiets::Checks), checks);
        let mut expected = checks;
        expected.insert(first_quiet, (first, Class::Quiet));
        assert_eq!(narrowed(with_killers, &Histories::default(), Quiets::All), expected);

        // The same if history puts that move first, after all quiet moves are generated.
        let histories = Histories::default();
        let quiet = Quiet::new(&position, first, [None; 3], hints.threats.all);
        (0..200).for_each(|_| histories.update_quiet(quiet, 1_700));
        assert_eq!(narrowed(hints, &histories, Quiets::All), expected);
    }

    #[test]
    fn losing_captures_come_last() {
        // Qxd5 loses the queen to the pawn; exd5 wins a pawn.
        let position = Position::from_fen("4k3/8/2p5/3p4/4P3/8/8/3QK3 w - - 0 1").unwrap();
        let moves = picked(&position, Hints::default());
        assert_eq!(position.to_uci(moves[0].0, false), "e4d5");
        assert_eq!(moves[0].1, Class::GoodNoisy);
        let (last, class) = *moves.last().unwrap();
        assert_eq!((position.to_uci(last, false).as_str(), class), ("d1d5", Class::BadNoisy));
    }

    #[test]
    fn capture_history_moves_the_good_capture_threshold() {
        // The knight takes a protected pawn: a loss of two pawns.
        let position = Position::from_fen("4k3/2p5/3p4/8/4N3/8/8/4K3 w - - 0 1").unwrap();
        let equal = Position::from_fen("4k3/2p5/3n4/8/4N3/8/8/4K3 w - - 0 1").unwrap();
        let class = |position: &Position, captured, bonus| {
            let histories = Histories::default();
            let mv = position.from_uci("e4d6").unwrap();
            let piece_to = PieceTo::new(position.side_to_move(), Piece::Knight, mv);
            (0..200).for_each(|_| histories.update_capture(piece_to, Some(captured), bonus));
            let mut picker = MovePicker::all(Hints::default());
            std::iter::from_fn(|| picker.next(position, &histories, Quiets::All))
                .find(|&(found, _)| found == mv)
                .unwrap()
                .1
        };
        assert_eq!(class(&equal, Piece::Knight, 0), Class::GoodNoisy);
        assert_eq!(class(&equal, Piece::Knight, -1_700), Class::BadNoisy);
        assert_eq!(class(&position, Piece::Pawn, 1_700), Class::BadNoisy, "history cannot make up for two pawns");
    }
}
