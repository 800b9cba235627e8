//! A game solver: threads solve Domineering together and share what they prove.
//!
//! ```text
//! cargo run --release -p sesame-table --example domineering -- [rows] [columns] [threads] [MiB]
//! ```
//!
//! Two players lay dominoes on a board in turn, Vertical upright and Horizontal flat; a player who cannot move has lost. Breuker,
//! Uiterwijk and van den Herik solved it with a table of two levels ("Solving 8x8 domineering", Theoretical Computer Science
//! 230, 2000). On square boards of up to 8x8 the first player wins, except on 1x1 and 5x5.
//!
//! Each thread runs the whole search, with the moves in an order of its own, and finds the proofs of the others in the
//! table: `probe` and `store` through a shared reference.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::Instant;

use sesame_table::{Generation, Payload, Scheme, Table, TableError, mix64};

/// The result of a position for the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Proven {
    Lost = 1,
    Won = 2,
}

impl Payload for Proven {
    fn pack(&self, _: Generation) -> u64 {
        // Never 0, which is an empty slot.
        *self as u64
    }

    fn unpack(bits: u64) -> Option<Proven> {
        match bits {
            1 => Some(Proven::Lost),
            2 => Some(Proven::Won),
            _ => None,
        }
    }
}

/// A board of at most 64 squares: bit `row * columns + column` is set where a domino lies.
#[derive(Clone, Copy)]
struct Board {
    columns: u32,
    /// The squares at which a domino can begin, and its squares when it begins at 0: for Vertical and Horizontal.
    starts: [u64; 2],
    domino: [u64; 2],
}

impl Board {
    fn new(rows: u32, columns: u32) -> Board {
        let squares = |keep: &dyn Fn(u32, u32) -> bool| {
            (0..rows * columns).filter(|n| keep(n / columns, n % columns)).fold(0, |set, n| set | 1 << n)
        };
        let vertical = squares(&|row, _| row + 1 < rows);
        let horizontal = squares(&|_, column| column + 1 < columns);
        let upright = 1 | 1_u64.checked_shl(columns).unwrap_or(0);
        Board { columns, starts: [vertical, horizontal], domino: [upright, 3] }
    }

    fn moves(&self, taken: u64, player: usize) -> u64 {
        let step = if player == 0 { self.columns } else { 1 };
        self.starts[player] & !taken & !taken.checked_shr(step).unwrap_or(0)
    }
}

struct Solver<'a> {
    board: Board,
    table: &'a Table<Proven>,
    /// Rotates the order of the moves, so that threads search different subtrees.
    turn: u32,
    done: &'a AtomicBool,
    nodes: u64,
}

impl Solver<'_> {
    /// Returns whether `player`, to move, wins; `None` if another thread has the answer already.
    fn wins(&mut self, taken: u64, player: usize) -> Option<bool> {
        self.nodes += 1;
        let moves = self.board.moves(taken, player);
        if moves == 0 {
            return Some(false);
        }
        // The opponent has no move left, before or after.
        if self.board.moves(taken, 1 - player) == 0 {
            return Some(true);
        }
        // The squares tell the player to move: Vertical after an even number of dominoes.
        let key = mix64(taken);
        if let Some(proven) = self.table.probe(key) {
            return Some(proven == Proven::Won);
        }
        if self.done.load(Relaxed) {
            return None;
        }
        let before = self.nodes;
        let mut wins = false;
        for start in self.in_order(moves, taken, player) {
            if !self.wins(taken | self.board.domino[player] << start, 1 - player)? {
                wins = true;
                break;
            }
        }
        let proven = if wins { Proven::Won } else { Proven::Lost };
        // The size of the subtree is what TWOBIG1 compares.
        self.table.store(key, &proven, self.nodes - before + 1);
        Some(wins)
    }

    /// Returns the moves, those first that leave the player many moves and the opponent few.
    fn in_order(&self, moves: u64, taken: u64, player: usize) -> Vec<u32> {
        let mut rest = moves;
        let mut order = Vec::with_capacity(moves.count_ones() as usize);
        while rest != 0 {
            order.push(rest.trailing_zeros());
            rest &= rest - 1;
        }
        let length = order.len();
        order.rotate_left(self.turn as usize % length);
        order.sort_by_cached_key(|start| {
            let taken = taken | self.board.domino[player] << start;
            let count = |player| self.board.moves(taken, player).count_ones() as i32;
            count(1 - player) - count(player)
        });
        order
    }
}

/// Returns whether Vertical, who begins, wins, and the nodes of all threads.
fn solve(rows: u32, columns: u32, threads: u32, table: &Table<Proven>) -> (bool, u64) {
    let (answer, done, nodes) = (AtomicBool::new(false), AtomicBool::new(false), AtomicU64::new(0));
    thread::scope(|scope| {
        for turn in 0..threads {
            let (answer, done, nodes) = (&answer, &done, &nodes);
            scope.spawn(move || {
                let mut solver = Solver { board: Board::new(rows, columns), table, turn, done, nodes: 0 };
                if let Some(wins) = solver.wins(0, 0) {
                    answer.store(wins, Relaxed);
                    done.store(true, Relaxed);
                }
                nodes.fetch_add(solver.nodes, Relaxed);
            });
        }
    });
    (answer.into_inner(), nodes.into_inner())
}

fn table(mib: usize) -> Result<Table<Proven>, TableError> {
    Table::with_mib(mib, Scheme::TwoBig1)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut numbers = std::env::args().skip(1).map(|number| number.parse::<u32>());
    let mut next = |default| numbers.next().unwrap_or(Ok(default));
    let (rows, columns, threads, mib) = (next(6)?, next(6)?, next(2)?, next(64)?);
    if rows == 0 || columns == 0 || rows.saturating_mul(columns) > 64 || threads == 0 {
        return Err("the board has 1 to 64 squares, and there is at least one thread".into());
    }
    let table = table(mib as usize)?;
    let start = Instant::now();
    let (wins, nodes) = solve(rows, columns, threads, &table);
    let (winner, seconds) = (if wins { "first" } else { "second" }, start.elapsed().as_secs_f64());
    println!("{rows}x{columns}: the {winner} player wins; {nodes} nodes, {threads} threads, {seconds:.3} s");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns whether `player`, to move, wins, by the rules alone.
    fn by_the_rules(board: &Board, taken: u64, player: usize) -> bool {
        let moves = board.moves(taken, player);
        (0..64)
            .filter(|n| moves >> n & 1 != 0)
            .any(|n| !by_the_rules(board, taken | board.domino[player] << n, 1 - player))
    }

    #[test]
    fn small_boards_as_by_the_rules() {
        for (rows, columns) in [(1, 1), (1, 4), (4, 1), (2, 2), (2, 3), (3, 2), (3, 3), (3, 4)] {
            let wanted = by_the_rules(&Board::new(rows, columns), 0, 0);
            for threads in [1, 3] {
                assert_eq!(solve(rows, columns, threads, &table(1).unwrap()).0, wanted, "{rows}x{columns}");
            }
        }
    }

    #[test]
    fn squares_as_published() {
        let first_wins = (1..=5).map(|n| solve(n, n, 2, &table(4).unwrap()).0);
        assert_eq!(first_wins.collect::<Vec<_>>(), [false, true, true, true, false]);
    }
}
