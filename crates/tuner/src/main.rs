//! The program `sesame-tuner`.

fn main() {}
