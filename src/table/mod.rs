//! The shared, lock-free transposition table.
/// S.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// U.
    Upper,
    /// L.
    Lower,
    /// E.
    Exact,
}
