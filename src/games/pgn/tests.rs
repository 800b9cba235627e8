//! PGN: elements of a game, deviations, errors, limits, writing.

use std::io::{self, BufReader, Read};

use proptest::prelude::*;

use super::*;

fn read(text: &str) -> Vec<Result<PgnGame, String>> {
    Reader::new(text.as_bytes()).map(|game| game.map_err(|error| error.to_string())).collect()
}

fn only(text: &str) -> PgnGame {
    let mut games = read(text);
    assert_eq!(games.len(), 1, "{games:?}");
    games.remove(0).unwrap()
}

fn sans(game: &PgnGame) -> Vec<&str> {
    game.plies.iter().map(|ply| ply.san.as_str()).collect()
}

const GAME: &str = r#"[Event "A \"quoted\" name"]
[Site "C:\\chess"]
[Date "1994.??.??"]
[Round "-"]
[White "Müller"]
[Black "O'Neill"]
[Result "1/2-1/2"]
[WhiteElo "2000"]

{Before all moves.} 1. e4! {best by
  test} e5 $1 (1... c5 2. Nf3 (2. c3 {Alapin (an anti-Sicilian)} d5) 2... d6) 2. Nf3 Nc6?!
% this line is for another program
3.Bb5 ; Spanish
a6 4. O-O $13 1/2-1/2
"#;

#[test]
fn all_elements_of_a_game() {
    let game = only(GAME);
    assert_eq!(game.tag("Event"), Some("A \"quoted\" name"));
    assert_eq!(game.tag("Site"), Some("C:\\chess"));
    assert_eq!(game.tag("White"), Some("Müller"));
    assert_eq!((game.number, game.line, game.result), (1, 1, GameResult::Draw));
    assert_eq!(game.comments, ["Before all moves."]);
    assert_eq!(sans(&game), ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "O-O"]);
    let nags: Vec<&[u8]> = game.plies.iter().map(|ply| ply.nags.as_slice()).collect();
    assert_eq!(nags, [&[1u8][..], &[1], &[], &[6], &[], &[], &[13]]);
    assert_eq!(game.plies[0].annotations, [Annotation::Comment("best by test".into())]);
    let variation = "1... c5 2. Nf3 (2. c3 {Alapin (an anti-Sicilian)} d5) 2... d6";
    assert_eq!(game.plies[1].annotations, [Annotation::Variation(variation.into())]);
    assert_eq!(game.plies[4].annotations, [Annotation::Comment("Spanish".into())]);
    assert_eq!(game.plies[4].line, 13);
    assert_eq!(game.replay().unwrap().moves.len(), 7);
}

#[test]
fn write_and_read_round_trip() {
    let game = only(GAME);
    let text = game.to_string();
    let again = only(&text);
    assert_eq!((&again.tags, &again.comments, again.result), (&game.tags, &game.comments, game.result));
    let bare = |game: &PgnGame| -> Vec<Ply> { game.plies.iter().map(|ply| Ply { line: 0, ..ply.clone() }).collect() };
    assert_eq!(bare(&again), bare(&game));
    assert!(text.lines().all(|line| line.chars().count() <= 79), "{text}");
    let text = text.replace('\n', " ");
    assert!(text.contains("1. e4 $1 {best by test} 1... e5 $1 (1... c5"), "{text}");
    assert!(text.contains("2. Nf3 Nc6 $6 3. Bb5 {Spanish} 3... a6"), "{text}");
    assert_eq!(again.to_string(), game.to_string());
}

/// Returns the moves and the result of the only game.
fn moves(text: &str) -> (String, GameResult) {
    let game = only(text);
    (sans(&game).join(" "), game.result)
}

#[test]
fn common_deviations_are_accepted() {
    for text in [
        "1.e4 e5 2.Nf3 Nc6 1-0",
        "\u{feff}1. e4 e5 2. Nf3 Nc6 1-0\n",
        "1 e4 e5 2 Nf3 Nc6 1-0",
        "e4 e5 Nf3 Nc6 1-0",
        "\r\n1.\te4 e5\r\n2.\r\nNf3 Nc6\r\n1-0",
        "1.1.e4 1...e5 2.2.Nf3 Nc6 3.1-0",
        "1. e4 e5 ?? ???? 2. Nf3 !? Nc6 1-0",
        "1.\u{a0}e4\u{a0}e5 2. Nf3\u{2003}Nc6 \u{85} \u{1b} 1-0",
    ] {
        assert_eq!(moves(text), ("e4 e5 Nf3 Nc6".to_owned(), GameResult::WhiteWins), "{text}");
    }
    for (text, expected) in [
        ("4. 0-0 exf3 e.p. *", "O-O exf3"),
        ("1. e4 e5 2. Nf3*", "e4 e5 Nf3"),
        ("1. e4 e5 2. Nf3**", "e4 e5 Nf3"),
        ("1. e4 e5 2. Nf3*\u{ad}\u{200b}", "e4 e5 Nf3"),
        ("1. e4\u{a0}e5 2. Nf3*\u{a0}", "e4 e5 Nf3"),
        ("e4 e5 Nf3", "e4 e5 Nf3"),
        ("-- e5", "-- e5"),
        ("Games of the club, round 1.\n\n[Event \"x\"]\n\n1. e4 e5 *\n", "e4 e5"),
    ] {
        assert_eq!(moves(text), (expected.to_owned(), GameResult::Unknown), "{text}");
    }
    assert_eq!(only("[A \"x\"] [Lang \"he said \"no\" twice\"]\n*").tags[1].1, "he said \"no\" twice");
    assert!(read("").is_empty() && read("\n% nothing\n \n").is_empty() && read("No chess here.").is_empty());
}

/// Returns the moves as written, without tags.
fn written(game: &PgnGame) -> String {
    game.to_string().rsplit("\n\n").next().unwrap().replace('\n', " ").trim().to_owned()
}

/// Each game is legal as a whole.
#[test]
fn move_text_of_books_and_web_pages() {
    for (text, expected) in [
        // Glyphs as words, and joined to a move or a sign of check.
        ("1. e4 e5 2. Qh5? ∓ Nc6 3. Bc4 ± Nf6?? 4. Qxf7# *", "1. e4 e5 2. Qh5 $2 $17 Nc6 3. Bc4 $16 Nf6 $4 4. Qxf7# *"),
        ("e4 → □ ⩲ ⩱ ∞ = +- -+ +– −+ *", "1. e4 $40 $7 $14 $15 $13 $10 $18 $19 $18 $19 *"),
        ("e4 N D RR TN = == += =+ +/- -/+ +/= =/+ *", "1. e4 $146 $220 $145 $146 $10 $144 $14 $15 $16 $17 $14 $15 *"),
        ("e4 ⨀ ○ ⟳ ↑ ⇆ ⊕ ∆ ∇ ⌓ ≤ <= =∞ *", "1. e4 $22 $26 $32 $36 $132 $138 $140 $141 $142 $143 $143 $44 *"),
        ("e4 ⬒ ⬓ ⇔ ⇗ ⊞ ⟫ ⟪ ✕ × ⊥ *", "1. e4 $220 $221 $239 $240 $241 $242 $243 $244 $244 $245 *"),
        ("e4‼ e5⁇ Nf3⁉ Nc6⁈ Bb5± a6N Bxc6+− *", "1. e4 $3 e5 $4 2. Nf3 $5 Nc6 $6 3. Bb5 $16 a6 $146 4. Bxc6 $18 *"),
        ("e4 e5 Qh5+= Nc6 Bc4= a6 Qxf7++-*", "1. e4 e5 2. Qh5 $14 Nc6 3. Bc4 $10 a6 4. Qxf7+ $18 *"),
        ("± 1. e4 *", "$16 1. e4 *"),
        ("$22 {a comment} 1. e4 *", "$22 {a comment} 1. e4 *"),
        // Signs of check and mate, en passant.
        ("e4 e6 Bb5 c6 Bxc6 dxc6 Qh5 Nf6 Qxf7 ch Kxf7 *", "1. e4 e6 2. Bb5 c6 3. Bxc6 dxc6 4. Qh5 Nf6 5. Qxf7 Kxf7 *"),
        ("e4 d5 Bb5† c6 Bxc6‡ bxc6 *", "1. e4 d5 2. Bb5 c6 3. Bxc6 bxc6 *"),
        ("e4 f6 d4 g5 Qh5 mate *", "1. e4 f6 2. d4 g5 3. Qh5 *"),
        ("e4 f6 d4 g5 Qh5mate *", "1. e4 f6 2. d4 g5 3. Qh5 *"),
        ("e4 d6 Bb5dis.ch. c6 dbl. ch. dbl ch Bxc6+, Nxc6 checkmate ++ # + *", "1. e4 d6 2. Bb5 c6 3. Bxc6+ Nxc6 *"),
        ("e4 d6 Bb5++ c6 Bxc6 Ch Nxc6 Mate *", "1. e4 d6 2. Bb5+ c6 3. Bxc6 Nxc6 *"),
        ("e4 a6 e5 d5 exd6e.p. cxd6 *", "1. e4 a6 2. e5 d5 3. exd6 cxd6 *"),
        ("e4 a6 e5 d5 exd6 e.p. cxd6 *", "1. e4 a6 2. e5 d5 3. exd6 cxd6 *"),
        // Figurines of both colours, other dashes and crosses.
        ("e4 e5 ♘f3 ♞c6 ♗b5 a6 ♗×c6 d×c6 O–O ♛f6 *", "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Bxc6 dxc6 5. O-O Qf6 *"),
        ("♙e4 ♟e5 ♔e2 ♚e7 ♕\u{fe0e}e1 *", "1. e4 e5 2. Ke2 Ke7 3. Qe1 *"),
        ("e2–e4 e7−e5 Ng1—f3 Nb8‑c6 *", "1. e2-e4 e7-e5 2. Ng1-f3 Nb8-c6 *"),
        ("e4 e5 Nf3 Nf6 Be2 Be7 0–0 o-o Re1 *", "1. e4 e5 2. Nf3 Nf6 3. Be2 Be7 4. O-O O-O 5. Re1 *"),
        (
            "d4 d5 Nc3 Nc6 Bf4 Bf5 Qd2 Qd7 0−0−0± О-О-О *",
            "1. d4 d5 2. Nc3 Nc6 3. Bf4 Bf5 4. Qd2 Qd7 5. O-O-O $16 O-O-O *",
        ),
        ("h4 g5 hxg5 h6 gxh6 Nf6 h7 Ng8 hxg8q Rxg8 *", "1. h4 g5 2. hxg5 h6 3. gxh6 Nf6 4. h7 Ng8 5. hxg8=Q Rxg8 *"),
        ("h4 g5 hxg5 h6 gxh6 Nf6 h7 Ng8 hxg8=n! e6 *", "1. h4 g5 2. hxg5 h6 3. gxh6 Nf6 4. h7 Ng8 5. hxg8=N $1 e6 *"),
        ("h4 g5 hxg5 h6 gxh6 Nf6 h7 Ng8 hxg8/R± e6 *", "1. h4 g5 2. hxg5 h6 3. gxh6 Nf6 4. h7 Ng8 5. hxg8=R $16 e6 *"),
        ("h4 g5 hxg5 h6 gxh6 Nf6 h7 Ng8 hxg8(Q) Rxg8 *", "1. h4 g5 2. hxg5 h6 3. gxh6 Nf6 4. h7 Ng8 5. hxg8=Q Rxg8 *"),
        (
            "h4 g5 hxg5 h6 gxh6 Nf6 h7 Ng8 hxg8 (n)+! e6 *",
            "1. h4 g5 2. hxg5 h6 3. gxh6 Nf6 4. h7 Ng8 5. hxg8=N $1 e6 *",
        ),
        // Results.
        ("Nf3 d5 1–0", "1. Nf3 d5 1-0"),
        ("Nf3 d5 1:0", "1. Nf3 d5 1-0"),
        ("Nf3 d5 0 - 1", "1. Nf3 d5 0-1"),
        ("1 Nf3 d5 2. 1 — 0", "1. Nf3 d5 1-0"),
        ("Nf3 d5 1- 0", "1. Nf3 d5 1-0"),
        ("Nf3 d5 0 :1", "1. Nf3 d5 0-1"),
        ("Nf3 d5 ½–½", "1. Nf3 d5 1/2-1/2"),
        ("Nf3 d5 ½ : ½", "1. Nf3 d5 1/2-1/2"),
        ("Nf3 d5 1/2 - 1/2", "1. Nf3 d5 1/2-1/2"),
        ("Nf3 d5 1 / 2 - 1 / 2", "1. Nf3 d5 1/2-1/2"),
        ("Nf3 d5 0,5:0,5", "1. Nf3 d5 1/2-1/2"),
        ("Nf3 d5 0.5 - 0.5", "1. Nf3 d5 1/2-1/2"),
        ("Nf3 d5 2.0.5-0.5", "1. Nf3 d5 1/2-1/2"),
        ("Nf3 d5 ½", "1. Nf3 d5 1/2-1/2"),
        // Half a point alone is no result, and no decimal is a move number.
        ("1. e4 e5 0.5 2. Nf3 *", "1. e4 e5 {0.5} 2. Nf3 *"),
        ("1. e4 e5 0,5 2. Nf3 *", "1. e4 e5 {0,5} 2. Nf3 *"),
        ("1. e4 0.35 e5 12.5s 2. Nf3 *", "1. e4 {0.35} 1... e5 {12.5s} 2. Nf3 *"),
        // Words of a text are no plies.
        ("1. e4 best by test e5 Well, 2. Nf3 <b> so *", "1. e4 {best by test} 1... e5 {Well,} 2. Nf3 {<b> so} *"),
        ("1. e4 {a} word {b} e5 *", "1. e4 {a} {word} {b} 1... e5 *"),
        ("1. e4, e5; a comment\n2. Nf3. *", "1. e4 e5 {a comment} 2. Nf3 *"),
    ] {
        let game = only(text);
        assert_eq!(written(&game), expected, "{text}");
        game.replay().unwrap_or_else(|error| panic!("{text}: {error}"));
    }
}

#[test]
fn every_game_has_its_own_text() {
    let games = [
        "[Variant \"Seirawan\"]\n\n1. d4 Nf6 2. c4/E d6 0-1",
        // Only the first tag of the next game shows where this one ends.
        "[White \"A\"]\r\n[Result \"1-0\"]",
        "[White \"B\"]\r\n\r\n1. e4 {\u{1b}[31m \u{a0}x}\r\ne5 ½",
        "1. d4 d5 1 - 0",
        "1. c4 ) [x] e5 (1... e6) *",
        "[FEN \"9/8\"]\n\n1. e4 *",
    ];
    let text = games.join("\n\n");
    let mut reader = Reader::new(text.as_bytes());
    for game in games {
        reader.next().unwrap().unwrap();
        assert_eq!(reader.raw_text().unwrap().trim(), game);
    }
    assert!(reader.next().is_none());
}

/// Text that is not a move does not shift the numbers of the moves behind it.
#[test]
fn text_among_the_moves_is_kept_as_comments() {
    let game = only("Intro by me. [Event \"x\"]\n\nWe begin: 1. e4 best\nby test e5 2. Ke3 oh 3. Qd3 *");
    assert_eq!(game.comments, ["We begin:"]);
    assert_eq!(written(&game), "{We begin:} 1. e4 {best by test} 1... e5 2. Ke3 {oh} 2... Qd3 *");
    let warnings = ["the text before the first tag is left out", "line 3: \"We\" is not a move: kept as a comment"];
    assert_eq!(game.warnings, warnings);
    let unreadable = "P-K4 PxP exd Nf9 -- Z0 O-O-O-O OO-OO Кf3 Крf3 Кf9 P-K8=Q KBPxP QxN+ Kxd 12,Nf3 e9=Q N@f9 bxN Ng1:f3 e2e44 Nc3/H O-O/Ee8 @e4";
    for text in unreadable.split(' ') {
        assert_eq!(sans(&only(&format!("1. {text} e5 *"))), [text, "e5"], "an unreadable move is a ply");
    }
    let remarks = "C44 b12 D12 d12 M1 Fritz13 Stockfish8 Fire8.1 hex ex axe x e-b -a h-pawn 0.35/d12 0.35/d8 +0.35/d8 35/d8 \
                   2024-05 PRO-BONO e-mail1";
    for text in remarks.split(' ') {
        let game = only(&format!("1. {text} e4 e5 *"));
        assert_eq!((sans(&game).join(" "), game.comments), ("e4 e5".to_owned(), vec![text.to_owned()]));
    }
}

#[test]
fn result_tag_outweighs_the_end_of_the_moves() {
    for (tag, moves, tag_written, end, warnings) in [
        ("1–0", "1. e4 1–0", "1-0", "1-0", 0),
        ("0:1", "1. e4", "0-1", "0-1", 0),
        ("½ - ½", "1. e4 *", "1/2-1/2", "1/2-1/2", 0),
        ("1-0", "1. e4 1/2-1/2", "1-0", "1-0", 1),
        // Tags that are not understood stay.
        ("White wins", "1. e4 *", "White wins", "*", 0),
        ("+:-", "1. e4 1-0", "+:-", "1-0", 0),
        ("?", "1. e4 0:1", "0-1", "0-1", 0),
        ("*", "1. e4 0-1", "0-1", "0-1", 0),
        ("", "1. e4 0:1", "0-1", "0-1", 0),
    ] {
        let game = only(&format!("[Result \"{tag}\"]\n\n{moves}"));
        assert!(game.to_string().contains(&format!("[Result \"{tag_written}\"]\n")), "{game}");
        assert_eq!((written(&game), game.warnings.len()), (format!("1. e4 {end}"), warnings));
        assert_eq!(only(&game.to_string()).to_string(), game.to_string());
    }
}

#[test]
fn tags_with_other_quotes_or_none() {
    for (line, value) in [
        ("[White Carlsen, Magnus]", Some("Carlsen, Magnus")),
        ("[ White  “Carlsen” ] ", Some("Carlsen")),
        ("[White 'Carlsen']\r", Some("Carlsen")),
        ("[White „O'Neill\"“]", Some("O'Neill\"")),
        ("[White ]", None),
        ("[White]", None),
        ("[White Carlsen", None),
        ("[White \"Carlsen]", None),
    ] {
        let games = read(&format!("[Event \"x\"]\n{line}\n[Note two words]\n\n1. e4 *\n"));
        let found = games[0].as_ref().ok();
        assert_eq!(found.and_then(|game| game.tag("White")), value, "{line}");
        assert!(found.is_none_or(|game| game.tag("Note") == Some("two words") && sans(game) == ["e4"]), "{line}");
    }
    assert_eq!(only("[White ‘x’]\n\n1. e4 *").tag("White"), Some("x"));
}

#[test]
fn stray_signs_and_remarks_do_not_end_a_game() {
    for (moves, expected, warning) in [
        ("1. e4 [%clk 0:01:00] e5 [%clk 0:01:00] *", "1. e4 {[%clk 0:01:00]} 1... e5 {[%clk 0:01:00]} *", None),
        ("[%evp 0,1] 1. e4 e5 *", "{[%evp 0,1]} 1. e4 e5 *", None),
        ("1. e4\n[Diagram here]\n1... e5 *", "1. e4 {[Diagram here]} 1... e5 *", None),
        ("1. e4\n[White to move]\n[D] e5 *", "1. e4 {[White to move]} {[D]} 1... e5 *", None),
        ("1. e4 (1. d4 [%clk 1] d5) e5 *", "1. e4 (1. d4 {[%clk 1]} d5) 1... e5 *", None),
        ("1. e4 [ e5 *", "1. e4 e5 *", Some("line 3: '[' without a meaning is left out")),
        ("1. e4 ] e5 ] *", "1. e4 e5 *", Some("line 3: ']' without a meaning is left out")),
        ("1. e4 \"best\" e5 *", "1. e4 {best} 1... e5 *", Some("line 3: '\"' without a meaning is left out")),
        ("1. e4 $ e5 *", "1. e4 e5 *", Some("line 3: '$' without a meaning is left out")),
        ("1. e4 $256 e5 *", "1. e4 e5 *", Some("line 3: '$' without a meaning is left out")),
        ("1. e4\n) e5 *", "1. e4 e5 *", Some("line 4: ')' without '(' is left out")),
        ("(1. d4 {x} d5) 1. e4 e5 *", "{(1. d4 {x) d5)} 1. e4 e5 *", Some("line 3: a variation before the first move")),
    ] {
        let next = "[Event \"next\"]\n[White \"W\"]\n\n1. d4 *";
        let games = read(&format!("[Event x]\n\n{moves}\n\n{next}"));
        let games: Vec<_> = games.into_iter().map(Result::unwrap).collect();
        assert_eq!((games.len(), written(&games[0]).as_str()), (2, expected), "{moves}");
        let warnings = &games[0].warnings;
        assert!(warning.is_none_or(|warning| warnings[0].starts_with(warning)), "{moves}: {warnings:?}");
        assert_eq!((games[1].number, games[1].tag("White"), sans(&games[1])), (2, Some("W"), vec!["d4"]), "{moves}");
    }
    let games = read("1. e4 * [%eval 0.1]\n\n[Event \"2\"]\n\n1. d4 *");
    assert_eq!(games[1].as_ref().unwrap().tag("Event"), Some("2"), "{games:?}");
}

#[test]
fn fen_tags_are_repaired() {
    let replay =
        |tag: &str, moves: &str| only(&format!("[SetUp \"1\"]\n[FEN \"{tag}\"]\n\n{moves} *")).replay().unwrap();
    for (tag, moves, notes) in [
        ("6k1/5ppp/8/8/8/8/5PPP/R5K1 w KQkq - 0 1", "1. Ra8#", 3),
        ("rnbq1rk1/1pp2ppp/4p3/p2nP3/1b1P4/2NB1N2/PP3PPP/R1BQ1RK1 w HQhq - 0 1", "1. Nxd5 exd5", 2),
        ("4k3/8/8/8/8/8/4P3/4K3 w - d6 x 1", "1. e4", 2),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "1. e4", 0),
        ("", "1. e4", 0),
        ("?", "1. e4", 0),
        (" - ", "1. e4", 0),
    ] {
        let Replay { moves: found, notes: said, .. } = replay(tag, moves);
        assert_eq!(found.len(), moves.split_whitespace().count() - 1, "{tag}");
        assert_eq!(said.len(), notes, "{tag}: {said:?}");
        assert!(said.iter().all(|note| note.starts_with("the FEN tag: ")), "{said:?}");
    }
}

/// The whole game must fit. In French, R is the king.
#[test]
fn piece_letters_of_german_and_french() {
    for (moves, language, played) in [
        (
            "1. e4 e5 2. Sf3 Sc6 3. Lb5 a6 4. Lxc6 dxc6 5. 0-0 Dd6 6. Te1 Ke7",
            Some("German (KDTLS)"),
            "Nf3 Nc6 Bb5 Bxc6 Qd6 Re1 Ke7",
        ),
        (
            "1. e4 e5 2. Cf3 Cc6 3. Fb5 a6 4. Fxc6 dxc6 5. O-O Dd6 6. Te1 Re7",
            Some("French (RDTFC)"),
            "Nf3 Nc6 Bb5 Bxc6 Qd6 Re1 Ke7",
        ),
        ("1. h4 g5 2. hxg5 h6 3. gxh6 Sf6 4. h7 Sg8 5. hxg8D e6", Some("German (KDTLS)"), "Nf6 Ng8 hxg8=Q"),
        ("1. h4 g5 2. hxg5 h6 3. gxh6 Cf6 4. h7 Cg8 5. hxg8=D e6", Some("French (RDTFC)"), "Nf6 Ng8 hxg8=Q"),
        // The same in both.
        ("1. d4 d5 2. Dd3 Dd6 3. Da3", Some("German (KDTLS)"), "Qd3 Qd6 Qa3"),
        ("1. e4 e5 2. Nf3 Sc6", None, ""),
        ("1. e4 e5 2. Sf3 Cc6", None, ""),
        ("1. e4 e5 2. Sf3 Ke6", None, ""),
        // R alone does not show that the game is French.
        ("1. e4 e5 2. Re2 Re7", None, ""),
        ("1. e4 e5 2. Tf3", None, ""),
    ] {
        let game = only(&format!("{moves} *"));
        let (replay, error) = game.replay_legal().unwrap();
        assert_eq!((error.is_none(), replay.language.is_some()), (language.is_some(), language.is_some()), "{moves}");
        let note = language.map(|language| format!("the piece letters are {language}"));
        assert!(replay.notes.iter().eq(&note), "{moves}: {:?}", replay.notes);
        let mut position = replay.start.clone();
        let mut sans = Vec::new();
        for &mv in &replay.moves {
            sans.push(position.to_san(mv));
            position.play(mv);
        }
        sans.retain(|san| san.contains(|c: char| c.is_ascii_uppercase() && c != 'O'));
        assert!(language.is_none() || sans.join(" ") == played, "{moves}: {sans:?}");
    }
    let german = only("1. Sf3 *").replay().unwrap().language.unwrap();
    let english = "2. Nc3 $1 {Sf3 D} D (2. Bb5 N Qd7) 2... e1=Q±";
    assert_eq!(german.variation_to_english("2. Sc3! {Sf3 D} D (2. Lb5 N Dd7) 2... e1=D±"), english);
}

#[test]
fn every_line_end_is_the_same() {
    let lines = only(GAME);
    for end in ["\r", "\r\n"] {
        assert_eq!(only(&GAME.replace('\n', end)), lines, "{end:?}");
        let two =
            "[Event \"a\"]\n[White x\n\n1. e4 ; so\ne5\n\n[Event \"b\"]\n[White \"y\"]\n\n1. d4 *\n".replace('\n', end);
        let games = read(&two);
        assert!(games[0].as_ref().unwrap_err().contains("line 2: expected a tag"), "{games:?}");
        assert_eq!((games.len(), games[1].as_ref().unwrap().tag("White")), (2, Some("y")), "{end:?}");
    }
}

#[test]
fn texts_are_decoded_without_control_characters() {
    for (bytes, white, comment) in [
        ("\u{feff}[White \"É\"]\n\n1. e4 {é} *".as_bytes(), "É", "é"),
        (b"\xEF\xBB\xBF[White \"\xC9\"]\n\n1. e4 {\xE9} *", "É", "é"),
        (b"[White \"\x8Aari\xE6\"]\n\n1. e4 {White\x92s plan \x96 f4} *", "Šariæ", "White’s plan – f4"),
        ("[White \"A\u{1b}[31m\u{7}\u{ffff}\"]\n\n1. e4\u{8} {\u{9b}x\ty\0} *".as_bytes(), "A[31m", "x y"),
        ("[White \"C\td\u{85}\"]\n\n1. e4 {z} *".as_bytes(), "C d ", "z"),
    ] {
        let game = Reader::new(bytes).next().unwrap().unwrap();
        assert_eq!((game.tag("White"), sans(&game)), (Some(white), vec!["e4"]));
        assert_eq!(game.plies[0].annotations, [Annotation::Comment(comment.into())]);
        assert!(!crate::games::decode(bytes.to_vec()).starts_with('\u{feff}'));
    }
    assert_eq!(crate::games::decode(b"a\rb\r\nc\n\rd".into()), "a\nb\nc\n\nd");
}

#[test]
fn joined_files_have_all_their_games() {
    for join in ["", "\u{1a}", "\u{feff}", "\u{1a}\u{feff}\n\u{feff} ", "\u{a0}\n", "????\n"] {
        for end in ["*", ""] {
            let games =
                read(&format!("[Event \"1\"]\n\n1. e4 {end}\n{join}[Event \"2\"]\n[White \"W\"]\n\n1. d4 *\n{join}"));
            let games: Vec<_> = games.into_iter().map(Result::unwrap).filter(|game| !game.tags.is_empty()).collect();
            assert_eq!(games.len(), 2, "{join:?}: {games:?}");
            assert_eq!((games[1].tag("Event"), games[1].tag("White")), (Some("2"), Some("W")), "{join:?}");
        }
    }
}

#[test]
fn consecutive_games_are_told_apart() {
    for (text, expected) in [
        (
            "[Event \"1\"]\n\n1. e4 *\n\n[Event \"2\"]\n\n1. d4\n\n[Event \"3\"]\n\n[Event \"4\"]\n\n1. c4 1-0 1. Nf3 0-1",
            &["1: e4 *", "2: d4 *", "3:  *", "4: c4 1-0", "5: Nf3 0-1"][..],
        ),
        (
            "[White \"A\"]\n[Result \"1-0\"]\n\n[White \"B\"]\n[Result \"0-1\"]\n\n[White \"C\"]\n\n1. e4 1-0\n",
            &["1:  1-0", "2:  0-1", "3: e4 1-0"],
        ),
    ] {
        let games = read(text).into_iter().map(Result::unwrap);
        let found: Vec<_> =
            games.map(|game| format!("{}: {} {}", game.number, sans(&game).join(" "), game.result)).collect();
        assert_eq!(found, expected);
    }
}

#[test]
fn games_are_played_up_to_an_illegal_or_null_move() {
    for (text, moves, error) in [
        ("1. e4 e5 2. Qh5 Nc6 3. Bc4 --\n4. Qxf7#", 5, "game 1, line 1: \"--\""),
        ("1. e4 e5\n2. Ke3 *", 2, "game 1, line 2: \"Ke3\" fits no legal move"),
        ("1. Z0", 0, "\"Z0\""),
        ("1. e4-e5", 0, "\"e4-e5\""),
        ("1. Bg1-f3", 0, "\"Bg1-f3\""),
        ("[FEN \"4k3/8/8/8/8/8/8/1N2KN2 w - - 0 1\"]\n\n1. Nd2 *", 0, "\"Nd2\" is ambiguous in this position"),
        // A rook stands where the king would go.
        (
            "[Variant \"Chess960\"]\n[FEN \"bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1\"]\n\n\
             1. g4 g5 2. Nf3 Nf6 3. O-O *",
            4,
            "\"O-O\"",
        ),
    ] {
        let game = only(text);
        let (replay, found) = game.replay_legal().unwrap();
        let found = found.unwrap().to_string();
        assert!(replay.moves.len() == moves && found.contains(error), "{text}: {found}");
        assert_eq!(game.replay().unwrap_err().to_string(), found);
    }
    for text in ["1. e2-e4 e7-e5 2. Ng1-f3 Nb8xc6", "1. e2e4 d7d5 2. f1b5+ c7c6"] {
        assert_eq!(only(text).replay().unwrap().moves.len(), 4, "long algebraic moves");
    }
    for (text, error) in [
        ("[FEN \"8/8\"]\n*", "the FEN tag: "),
        ("[Variant \"Crazyhouse\"]\n*", "the variant \"Crazyhouse\" is not chess"),
    ] {
        assert!(only(text).replay_legal().unwrap_err().to_string().contains(error), "{text}");
    }
    let black = only("[FEN \"4k3/8/8/8/8/8/4p3/4K3 b - - 0 40\"]\n\n40... Kd7 41. Kxe2 *");
    assert_eq!(black.replay().unwrap().moves.len(), 2);
    assert!(black.to_string().ends_with("\n\n40... Kd7 41. Kxe2 *\n"), "{black}");
}

#[test]
fn text_of_a_wrong_game_is_kept() {
    let (first, wrong) = ("[Event \"a\"]\n\n1. e4 *\n\n", "[Event \"b\"]\n\n1. e4 {a {nested} comment} e5 1-0\n\n");
    let text = format!("{first}{wrong}{first}");
    let mut reader = Reader::new(text.as_bytes());
    assert!(reader.next().unwrap().is_ok());
    assert!(reader.next().unwrap().is_err());
    assert_eq!(reader.raw_text().unwrap().trim(), wrong.trim());
    assert_eq!(reader.next().unwrap().unwrap().tag("Event"), Some("a"));
    assert!(reader.next().is_none());
    // An open comment ends at the next game.
    let mut reader = Reader::new("1. e4 {open\n[Event \"next\"]\n\n1. d4 *".as_bytes());
    assert!(reader.next().unwrap().is_err());
    assert_eq!(reader.raw_text().unwrap(), "1. e4 {open\n");
    assert_eq!(reader.next().unwrap().unwrap().tag("Event"), Some("next"));
}

#[test]
fn reading_continues_after_an_error() {
    let good = "[Event \"next\"]\n[White \"W\"]\n\n1. e4 *\n";
    for (bad, line, message) in [
        ("[Event \"bad]\n[Site \"x\"]\n\n1. e4 *\n", 1, "expected a tag"),
        ("[Event\n\n1. e4 *\n", 1, "expected a tag"),
        ("[Event \"x\"]\n\n1. e4 {and so on\n* \n\n", 3, "the comment that begins here"),
        ("[Event \"x\"]\n\n1. e4\n(1. d4 *\n\n", 4, "the variation that begins here"),
        ("[Event \"x\"]\n\n1. e4 } *\n[%clk 1]\n", 3, "unexpected '}'"),
    ] {
        let games = read(&format!("{bad}{good}"));
        assert_eq!(games.len(), 2, "{bad}: {games:?}");
        let error = games[0].as_ref().unwrap_err();
        assert!(error.starts_with(&format!("game 1, line {line}: {message}")), "{bad}: {error}");
        let next = games[1].as_ref().unwrap();
        assert_eq!((next.number, next.tag("White"), sans(next)), (2, Some("W"), vec!["e4"]), "{bad}");
    }
    assert!(read("1. e4 {no end")[0].as_ref().unwrap_err().contains("comment"));
}

#[test]
fn deep_nesting_and_long_text() {
    let nested = format!("1. e4 {}{} e5 *", "(1. d4 ".repeat(100_000), ")".repeat(100_000));
    assert_eq!(only(&nested).plies.len(), 2);
    let open = format!("1. e4 {} *", "(1. d4 ".repeat(100_000));
    assert!(read(&open)[0].as_ref().unwrap_err().contains("variation"));
    let talk = format!("1. e4 {{{}}} *\n\n[Event \"2\"]\n\n1. d4 *", "x".repeat(5 << 20));
    let games = read(&talk);
    assert!(games[0].as_ref().unwrap_err().contains("too large"));
    assert_eq!(sans(games[1].as_ref().unwrap()), ["d4"]);
    assert!(read(&"e4 ".repeat(20_000))[0].as_ref().unwrap_err().contains("12,000 plies"));
    assert!(read(&"[A \"b\"]\n".repeat(2_000))[0].as_ref().unwrap_err().contains("1,000 tags"));
}

/// A stream that fails after its bytes.
struct Failing(&'static [u8]);

impl Read for Failing {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.0.is_empty() { Err(io::Error::other("the disk is gone")) } else { self.0.read(buffer) }
    }
}

#[test]
fn input_failure_ends_reading() {
    let games: Vec<_> = Reader::new(BufReader::new(Failing(b"1. e4 * 1. d4"))).collect();
    assert_eq!(games.len(), 2);
    assert!(games[0].is_ok());
    assert!(games[1].as_ref().unwrap_err().to_string().contains("the disk is gone"));
}

#[test]
fn line_breaks_avoid_special_characters() {
    let comment = format!("{} % [Event \"x\"] }} ; (", "word ".repeat(14).trim_end());
    let mut game = only("1. e4 *");
    game.plies[0].annotations.push(Annotation::Comment(comment.clone()));
    game.set_tag("White", "a\\\"b\n");
    let again = only(&game.to_string());
    assert_eq!(again.plies[0].annotations, [Annotation::Comment(comment.replace('}', ")"))]);
    assert_eq!(again.tag("White"), Some("a\\\"b"));
    for spaces in 0..80 {
        game.plies[0].annotations = vec![Annotation::Comment(format!("{}x [%clk 0:05:00] y", "a ".repeat(spaces)))];
        let text = game.to_string();
        assert!(text.contains("[%clk 0:05:00]") && text.lines().all(|line| line.chars().count() <= 79), "{text}");
        assert_eq!(only(&text).plies[0].annotations, game.plies[0].annotations);
    }
}

proptest! {
    /// No text panics, reading ends, and games without an error can be written and read again.
    #[test]
    fn no_text_panics(text in r#"([ -~\n]|\[Event "|\{|\}|\(|\)|1\. |e4 |Nf6 |\*|\\"|\$\d|é|± |∓|Nf3N |ch |½|–|:|♘f3|O–O|\r| 1 - 0 ){0,80}"#) {
        for game in Reader::new(text.as_bytes()).take(1000).flatten() {
            let _ = game.replay();
            let again: Vec<_> = Reader::new(game.to_string().as_bytes()).collect::<Result<_, _>>().unwrap();
            prop_assert!(!again.is_empty());
            prop_assert_eq!(sans(&again[0]), sans(&game));
        }
    }
}
