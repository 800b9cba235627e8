//! x
use sesame::lab::alibaba::*;
use sesame::position::*;
use sesame::table::*;
use std::time::Instant;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let depth: u32 = args[1].parse().unwrap();
    let mut choices = Choices::default();
    for a in &args[2..] {
        let (k, v) = a.split_once('=').unwrap_or((a, "1"));
        let n: i32 = v.parse().unwrap_or(0);
        match k {
            "never" => choices.early_end = EarlyEnd::Never,
            "margin" => choices.early_end = EarlyEnd::Margin(n),
            "byscore" => choices.root_order = RootOrder::ByScore,
            "bnone" => choices.blockers = Blockers::None,
            "ball" => choices.blockers = Blockers::All,
            "mob" => choices.weights.mobility = n,
            "cen" => choices.weights.centre = n,
            "around" => choices.weights.around = n,
            "king" => choices.weights.king = n,
            "habove" => choices.history_update = HistoryUpdate::AboveAlpha,
            "hpow" => choices.history_bonus = HistoryBonus::PowerOfTwo,
            "hone" => choices.history_by_color = false,
            "asp" => choices.aspiration = if n == 0 { None } else { Some(n) },
            "norefut" => choices.refutation_tables = false,
            "second" => choices.second_occurrence_draws = true,
            "qcut" => choices.quiescence_cut_offs = true,
            "leaves" => choices.store_leaves = true,
            "noq" => choices.probe_quiescence = false,
            "nomoves" => choices.table_moves = false,
            "exact" => choices.exact_depth_only = true,
            "hnone" => choices.history_bonus = HistoryBonus::None,
            "heach" => choices.history_update = HistoryUpdate::EachImprovement,
            "low" => choices.lines_below_alpha = true,
            "only" => {}
            "size" => {}
            "scheme" => {}
            _ => panic!("{k}"),
        }
    }
    let get = |k: &str| args[2..].iter().find_map(|a| a.strip_prefix(&format!("{k}=")).map(str::to_owned));
    let schemes = match get("scheme").as_deref() {
        Some("all") => Scheme::ALL.to_vec(),
        Some(s) => vec![s.parse().unwrap()],
        None => vec![Scheme::TwoBig1],
    };
    let positions = include_str!("../src/lab/positions.epd");
    let mut runs: Vec<(String, Option<Table>)> = vec![];
    if get("only").as_deref() != Some("table") {
        runs.push(("none".into(), None));
    }
    if get("only").as_deref() != Some("none") {
        for scheme in schemes {
            for stamps in [false, true] {
                let size = get("size").map_or(1 << 20, |s| s.parse::<usize>().unwrap() * 1024);
                let t = Table::with_options(&TableOptions {
                    positions: size,
                    scheme,
                    update: Update::Overwrite,
                    stamps,
                    huge_pages: true,
                })
                .unwrap();
                runs.push((format!("{scheme}{}", if stamps { "+" } else { "" }), Some(t)));
                if get("stamped").is_none() {
                    break;
                }
            }
        }
    }
    let paper_none = [0.0, 0.0, 0.0, 185.0, 1083.0, 3847.0, 23573.0, 96969.0, 610696.0];
    let paper_t = [0.0, 0.0, 0.0, 194.0, 897.0, 2791.0, 12591.0, 40161.0, 191687.0];
    let mut base = vec![0u64; 32];
    for (name, table) in runs {
        let has = table.is_some();
        let mut s = Searcher::new(choices, table);
        let mut sums = vec![0u64; depth as usize + 1];
        let start = Instant::now();
        for (i, line) in positions.lines().enumerate() {
            let f: Vec<&str> = line.split_whitespace().take(4).collect();
            let hm = line.split("hmvc ").nth(1).unwrap().split(';').next().unwrap();
            let fen = format!("{} {} 1", f.join(" "), hm);
            if let Some(t) = s.table_mut() {
                t.wipe(1);
            }
            let r = s.search(&Game::new(Position::from_fen(&fen).unwrap()), depth);
            if args.iter().any(|a| a == "verbose") || (depth > 0 && std::env::var("V").is_ok()) {
                println!("{i} {:?}", r.last());
            }
            for it in r {
                sums[it.depth as usize] += it.nodes;
            }
        }
        let t = start.elapsed().as_secs_f64();
        print!("{name:9}");
        for d in 3..=depth as usize {
            if has {
                let ratio = sums[d] as f64 / base[d] as f64;
                let p = paper_t[d] / paper_none[d];
                print!(" {:8}K r{:.3} ({:+.0}%)", sums[d] / 1000, ratio, 100.0 * (ratio / p - 1.0));
            } else {
                base[d] = sums[d];
                print!(
                    " {:8}K x{:.2} g{:.2}",
                    sums[d] / 1000,
                    sums[d] as f64 / 1000.0 / paper_none[d],
                    sums[d] as f64 / sums[d - 1].max(1) as f64
                );
            }
        }
        println!("  {:.1}s {:.2} Mn/s", t, *sums.last().unwrap() as f64 / t / 1e6);
    }
}
