//! The sessions of `tests/data/sessions`, one file a subject.

use std::collections::BTreeSet;
use std::fs;

use crate::support::transcript::{play, play_text};

macro_rules! subjects {
    ($($subject:ident)*) => {
        $(
            #[test]
            fn $subject() {
                play(stringify!($subject));
            }
        )*

        #[test]
        fn each_file_is_played() {
            let files = fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/sessions")).unwrap();
            let files: BTreeSet<String> = files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
            assert_eq!(files, [$(concat!(stringify!($subject), ".txt")),*].map(str::to_owned).into());
        }
    };
}

subjects! { hash_file multipv options order protocol syzygy wrong_input }

/// Shows that a transcript can fail.
#[test]
fn wrong_transcripts_fail() {
    for steps in [
        "> isready\n< readynot",
        "> uci\n< uciok",
        "> isready\n> isready\n< readyok",
        "> xyzzy",
        "> go depth 4\n< info depth 3 *\n< bestmove *",
        "> go depth 4\n< bestmove e2e5*",
        "> go depth 4\nnone info depth *\n< bestmove *",
        "> go depth 4\nall info depth 2 *\n< bestmove *",
        "> go depth 4\nsome info depth 5 *\n< bestmove *",
        "> go depth 1\nhold 5000",
        "> go depth 4\n< info * nodes $nodes nps *\n< bestmove *\n> go depth 5\n< info * nodes $nodes nps *\n< bestmove *",
        "files table",
        "readyok",
    ] {
        let played = std::panic::catch_unwind(|| play_text("wrong", &format!("== wrong\n{steps}\n> quit")));
        assert!(played.is_err(), "{steps}");
    }
}
