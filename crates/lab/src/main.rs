//! The program `sesame-lab`.

fn main() {}
