//! Old options of the subcommands.

use sesame_command::Renamed;

pub(super) const OPTIONS: [Renamed; 6] = [
    Renamed::name("perft", "--chess960", "--king-takes-rook"),
    Renamed::name("play", "--ansi", "--color"),
    Renamed::form("play", "--color", "--color SIDE is now --side SIDE", |value| {
        ["white", "black", "random"].contains(&value).then(|| format!("--side={value}"))
    }),
    Renamed::form("play", "--fen", "--fen FEN is now FEN alone", |value| Some(value.to_owned())),
    Renamed::form("play", "--movetime", "--movetime MS is now --time SECONDS", |value| {
        Some(format!("--time={}", value.parse::<u64>().ok()? as f64 / 1000.0))
    }),
    Renamed::form("play", "--time", "--time M+S is now --clock M+S", |value| {
        value.contains('+').then(|| format!("--clock={value}"))
    }),
];
