//! One worker's search.
