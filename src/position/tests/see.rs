//! Static exchange evaluation against a mailbox reference, and known cases.

use super::*;

/// A mailbox board of letters, upper case for White, without bitboards.
#[derive(Clone)]
struct Letters([Option<char>; 64]);

/// The pieces, least valuable attacker first.
const ORDER: &str = "pnbrqk";

fn worth(letter: char) -> i32 {
    SEE_VALUES[ORDER.find(letter.to_ascii_lowercase()).unwrap()]
}

impl Letters {
    fn new(position: &Position) -> Self {
        Self(Square::ALL.map(|square| {
            let letter = char::from(position.piece_on(square)?);
            Some(if position.color_on(square)? == Color::White { letter.to_ascii_uppercase() } else { letter })
        }))
    }

    fn at(&self, file: i32, rank: i32) -> Option<char> {
        let inside = (0..8).contains(&file) && (0..8).contains(&rank);
        if inside { self.0[(rank * 8 + file) as usize] } else { None }
    }

    /// Returns true if the piece on `from` attacks `to`, found by walking square by square.
    fn attacks(&self, from: usize, to: usize) -> bool {
        let letter = self.0[from].unwrap();
        let (file, rank) = (from as i32 % 8, from as i32 / 8);
        let (right, up) = (to as i32 % 8 - file, to as i32 / 8 - rank);
        let (far, near) = (right.abs().max(up.abs()), right.abs().min(up.abs()));
        let clear = || (1..far).all(|step| self.at(file + right.signum() * step, rank + up.signum() * step).is_none());
        match letter.to_ascii_lowercase() {
            'p' => right.abs() == 1 && up == if letter == 'P' { 1 } else { -1 },
            'n' => (far, near) == (2, 1),
            'k' => far == 1,
            'b' => far > 0 && near == far && clear(),
            'r' => far > 0 && near == 0 && clear(),
            'q' => far > 0 && (near == 0 || near == far) && clear(),
            _ => unreachable!(),
        }
    }

    fn attackers(&self, to: usize, white: bool) -> Vec<usize> {
        let ours = |from: &usize| self.0[*from].is_some_and(|letter| letter.is_ascii_uppercase() == white);
        let mut found: Vec<usize> = (0..64).filter(ours).filter(|&from| self.attacks(from, to)).collect();
        found.sort_by_key(|&from| ORDER.find(self.0[from].unwrap().to_ascii_lowercase()));
        found
    }

    fn take(&self, from: usize, to: usize) -> Self {
        let mut after = self.clone();
        after.0[to] = after.0[from].take();
        after
    }

    /// Returns the material that a side wins by captures on `to`, or 0 by none. With `free`, it may capture
    /// with any attacker first, not only the least valuable.
    fn wins(&self, to: usize, white: bool, free: bool) -> i32 {
        let mut best = 0;
        for from in self.attackers(to, white) {
            let after = self.take(from, to);
            let king = self.0[from].unwrap().eq_ignore_ascii_case(&'k');
            if !king || after.attackers(to, !white).is_empty() {
                best = best.max(worth(self.0[to].unwrap()) - after.wins(to, !white, free));
            }
            if !free {
                break;
            }
        }
        best
    }

    /// Returns the material won by the exchange that a move begins.
    fn exchange(position: &Position, mv: Move, free: bool) -> i32 {
        if position.is_castling(mv) {
            return 0;
        }
        let (from, to) = (mv.from() as usize, mv.to() as usize);
        let white = position.side_to_move() == Color::White;
        let before = Self::new(position);
        let mut won = before.0[to].map_or(0, worth);
        let mut after = before.take(from, to);
        if before.0[from].unwrap().eq_ignore_ascii_case(&'p') && from % 8 != to % 8 && before.0[to].is_none() {
            after.0[from / 8 * 8 + to % 8] = None;
            won += worth('p');
        }
        if let Some(promotion) = mv.promotion() {
            let letter = char::from(promotion);
            after.0[to] = Some(if white { letter.to_ascii_uppercase() } else { letter });
            won += worth(letter) - worth('p');
        }
        won - after.wins(to, !white, free)
    }
}

/// All thresholds around possible values, and the extremes.
fn thresholds(value: i32) -> impl Iterator<Item = i32> {
    (-20..=20).map(|hundreds| hundreds * 100).chain([value - 1, value, value + 1, i32::MIN, i32::MAX])
}

#[test]
fn see_ge_agrees_with_the_reference() {
    let mut exchanges = 0;
    let mut check = |position: &Position| {
        for &mv in &position.legal_moves() {
            let value = Letters::exchange(position, mv, false);
            // Equality for every threshold includes monotonicity.
            for threshold in thresholds(value) {
                assert_eq!(position.see_ge(mv, threshold), value >= threshold, "{mv} {threshold} {value} {position}");
            }
            exchanges += 1;
        }
    };
    random_boards(8, 2000, &mut check);
    suite().for_each(|position| check(&position));
    let mut number = 0;
    random_games(8, 200, |position, _| {
        number += 1;
        if number % 10 == 0 {
            check(position);
        }
    });
    assert!(exchanges > 100_000, "{exchanges}");
}

#[test]
fn least_valuable_attacker_is_nearly_always_best() {
    let (mut captures, mut different) = (0, 0);
    random_boards(9, 1500, |position| {
        let mut noisy = MoveList::new();
        position.noisy_moves(&mut noisy);
        for &mv in &noisy {
            captures += 1;
            different += u32::from(Letters::exchange(position, mv, false) != Letters::exchange(position, mv, true));
        }
    });
    assert!(captures > 3_000 && different * 100 < captures, "{different} of {captures}");
}

#[test]
fn known_cases() {
    for (fen, mv, value) in [
        // An undefended pawn; a defended one; with an x-ray attacker.
        ("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "e1e5", 100),
        ("1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1", "d3e5", -200),
        ("4k3/8/4r3/4p3/8/8/4R3/K3R3 w - - 0 1", "e2e5", 100),
        // A quiet move to a square that a pawn attacks.
        ("3k4/8/3p4/8/8/8/8/K3Q3 w - - 0 1", "e1e5", -900),
        // Promotion: undefended, recaptured, with capture.
        ("8/4P3/8/8/8/8/k7/4K3 w - - 0 1", "e7e8q", 800),
        ("r7/4P3/8/8/8/8/k7/4K3 w - - 0 1", "e7e8q", -100),
        ("3r4/4P3/8/8/8/8/k7/4K3 w - - 0 1", "e7d8n", 700),
        // En passant: undefended, recaptured, opening a file for a rook.
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", 100),
        ("4k3/2p5/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", 0),
        ("4k3/2p5/8/3pP3/8/8/3R4/4K3 w - d6 0 1", "e5d6", 100),
        // A king captures undefended pieces only.
        ("8/8/8/2k5/8/8/3r4/R3K3 b - - 0 1", "d2e2", -500),
        ("8/8/8/8/8/3k4/3r4/R3K3 b - - 0 1", "d2e2", 0),
        ("8/8/8/8/8/3k4/3r4/4K3 w - - 0 1", "e1f1", 0),
        ("8/8/8/3k4/3p4/8/8/3RK3 w - - 0 1", "d1d4", -400),
        ("8/8/8/3k4/3p4/8/3R4/3RK3 w - - 0 1", "d2d4", 100),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", 0),
    ] {
        let position = position(fen);
        let mv = position.from_uci(mv).unwrap();
        assert_eq!(Letters::exchange(&position, mv, false), value, "{mv} {fen}");
        assert!(position.see_ge(mv, value), "{mv} {fen}");
        assert!(!position.see_ge(mv, value + 1), "{mv} {fen}");
    }
}

#[test]
fn exchanges_are_symmetric_except_ties() {
    // Ties between equal pieces are broken by square, so colours may differ there.
    let mirror = |position: &Position| {
        let board: Vec<String> = Letters::new(position)
            .0
            .chunks(8)
            .map(|rank| {
                let flip = |letter: char| {
                    if letter.is_ascii_uppercase() { letter.to_ascii_lowercase() } else { letter.to_ascii_uppercase() }
                };
                rank.iter().map(|letter| letter.map_or('1', flip)).collect()
            })
            .collect();
        let side = if position.side_to_move() == Color::White { "b" } else { "w" };
        super::position(&format!("{} {side} - -", board.join("/")))
    };
    let (mut captures, mut different) = (0, 0);
    random_boards(10, 1000, |position| {
        let mirrored = mirror(position);
        for &mv in &position.legal_moves() {
            let twin = Move::new(mv.from().flip_rank(), mv.to().flip_rank(), mv.promotion());
            captures += 1;
            different += u32::from(position.see_ge(mv, 0) != mirrored.see_ge(twin, 0));
        }
    });
    assert!(different * 1000 < captures, "{different} of {captures}");
}
