//! Claims about which scheme is better.

use super::super::cells::{Cell, DEPTHS, Grid, LARGEST, Line, Results, SCHEMES, SIZES};
use super::super::paper::Paper;
use super::super::tables::extremes;
use super::{
    Claim, FEWER, MORE, Pairing, Question, greatest, least, line_name, number, one_ply_deeper, paired, paragraphs,
};
use crate::experiment::DEEP_SIZES;
use sesame_report::markdown::{self, Table, Unit, or_dash, signed_percent};
use sesame_report::statistics::Estimate;
use sesame_table::Scheme;

const DEPTH: u32 = 7;

/// How one line's merit compares with the best of others, all sizes taken together.
fn against_best(results: &Results, line: Line, others: &[Line]) -> Option<Estimate> {
    let lines: Vec<Line> = std::iter::once(line).chain(others.iter().copied()).collect();
    let grid = Grid::new(results, &lines, DEPTH, &SIZES)?;
    number(|picks| match &grid.merits(picks)[..] {
        [first, rest @ ..] => first / least(rest.iter().copied()),
        [] => f64::NAN,
    })
}

/// Two lines size by size, and over all sizes.
fn size_by_size(results: &Results, line: Line, base: Line) -> String {
    let rows = SIZES
        .map(|size| Pairing::single(markdown::size(size), Cell::of(line, size, DEPTH), Cell::of(base, size, DEPTH)));
    let all = Pairing::over_sizes(results, "all sizes".to_owned(), line, base, DEPTH);
    paired(results, &format!("{} against {}, 7 ply", line_name(line), base.scheme), rows.into_iter().chain([all]))
}

/// Two lines depth by depth, over all sizes that the depth has.
fn depth_by_depth(results: &Results, line: Line, base: Line) -> String {
    let rows = DEPTHS.map(|depth| Pairing::over_sizes(results, format!("{depth} ply"), line, base, depth));
    paired(results, &format!("{} against {}, all sizes", line_name(line), base.scheme), rows)
}

pub(super) fn two_levels(results: &Results, paper: &Paper) -> Claim {
    let (two, one): (Vec<Scheme>, Vec<Scheme>) = SCHEMES.into_iter().partition(|scheme| scheme.has_two_levels());
    let worse_over_better = |total: &dyn Fn(Scheme) -> Option<f64>| {
        let all = |schemes: &[Scheme]| schemes.iter().map(|&scheme| total(scheme)).collect::<Option<Vec<f64>>>();
        Some(extremes(&all(&two)?).1 / extremes(&all(&one)?).0)
    };
    let theirs = worse_over_better(&|scheme| paper.largest(Line::cleared(scheme), DEPTH));
    let question = Question {
        name: "two levels",
        source: "sections 7 and 8, Figure 1",
        statement: "The two-level schemes outperform those with one level.",
        criterion: "The worse of the two-level totals against the best of the one-level totals, geometric mean over the sizes (7 ply, \
                    cleared): fewer."
            .to_owned(),
        paper: format!("fewer; {} at 1024K (Table 2)", or_dash(theirs, |ratio| signed_percent(ratio - 1.0))),
        holds: FEWER,
        unit: Unit::Difference,
        needs: "all schemes at one size at least, 7 ply, cleared",
    };
    let lines: Vec<Line> = two.iter().chain(&one).map(|&scheme| Line::cleared(scheme)).collect();
    let ours = Grid::new(results, &lines, DEPTH, &SIZES).and_then(|grid| {
        number(|picks| {
            let totals = grid.totals(picks);
            let ratio = |row: &Vec<f64>| {
                let (two, one) = row.split_at(two.len());
                (greatest(two.iter().copied()) / least(one.iter().copied())).ln()
            };
            (totals.iter().map(ratio).sum::<f64>() / totals.len() as f64).exp()
        })
    });
    let mut table = Table::new(["worse two-level against best one-level, 7 ply", "cleared", "stamped"]);
    for size in SIZES {
        let entry = |stamped| {
            let ratio = worse_over_better(&|scheme| results.total(Cell::of(Line { scheme, stamped }, size, DEPTH)));
            or_dash(ratio, |ratio| signed_percent(ratio - 1.0))
        };
        table.row([markdown::size(size), entry(false), entry(true)]);
    }
    let pairs = two.iter().flat_map(|&two| one.iter().map(move |&one| (two, one)));
    let rows = pairs.map(|(two, one)| {
        Pairing::over_sizes(results, format!("{two} against {one}"), Line::cleared(two), Line::cleared(one), DEPTH)
    });
    let details = paragraphs([table.to_string(), paired(results, "7 ply, cleared, all sizes", rows)]);
    question.answer(ours, if ours.is_some() { details } else { String::new() })
}

pub(super) fn two_deep_saves(results: &Results, paper: &Paper) -> Claim {
    let (two, one) = (Line::cleared(Scheme::TwoDeep), Line::cleared(Scheme::Deep));
    let theirs = paper.largest(two, DEPTH).zip(paper.largest(one, DEPTH)).map(|(two, one)| 1.0 - two / one);
    let question = Question {
        name: "TWODEEP saves",
        source: "section 7, Figure 1",
        statement: "TWODEEP saves 5 to 10 % of DEEP's search.",
        criterion: "What TWODEEP saves of DEEP's total, geometric mean over the sizes (7 ply, cleared): 5 to 10 %."
            .to_owned(),
        paper: format!("5 to 10 %; {} at 1024K (Table 2)", or_dash(theirs, markdown::percent)),
        holds: 0.05..=0.10,
        unit: Unit::Share,
        needs: "TWODEEP and DEEP at one size at least, 7 ply, cleared",
    };
    let saving = |grid: Option<Grid>| {
        let grid = grid?;
        number(|picks| match grid.merits(picks)[..] {
            [two, one] => 1.0 - two / one,
            _ => f64::NAN,
        })
    };
    let ours = saving(Grid::new(results, &[two, one], DEPTH, &SIZES));
    let context = one_ply_deeper(results, paper, (&question.holds, question.unit), |depth| {
        saving(Grid::whole(results, &[two, one], depth, &DEEP_SIZES))
    });
    let stamped = (Line::stamped(Scheme::TwoDeep), Line::stamped(Scheme::Deep));
    let details = [
        size_by_size(results, two, one),
        size_by_size(results, stamped.0, stamped.1),
        depth_by_depth(results, two, one),
    ];
    question.answer(ours, paragraphs(details)).with_context(context)
}

pub(super) fn two_big_best(results: &Results, paper: &Paper, stamped: bool) -> Claim {
    let line = |scheme| Line { scheme, stamped };
    let others: Vec<Line> = SCHEMES.into_iter().skip(1).map(line).collect();
    let theirs = others.iter().map(|&other| paper.largest(other, DEPTH)).collect::<Option<Vec<f64>>>();
    let theirs = paper.largest(line(Scheme::TwoBig1), DEPTH).zip(theirs).map(|(best, others)| best / least(others));
    let between = if stamped { "stamped" } else { "cleared" };
    let table = if stamped { 3 } else { 2 };
    let question = Question {
        name: if stamped { "TWOBIG1 best, stamped" } else { "TWOBIG1 best, cleared" },
        source: if stamped { "section 7, Figure 2" } else { "abstract, section 7, Figure 1" },
        statement: if stamped {
            "TWOBIG1 is best also where entries are time-stamped: a persistent edge."
        } else {
            "TWOBIG1 is the best of the seven schemes."
        },
        criterion: format!(
            "TWOBIG1's total against the best of the others, geometric mean over the sizes (7 ply, {between}): fewer."
        ),
        paper: format!("fewer; {} at 1024K (Table {table})", or_dash(theirs, |ratio| signed_percent(ratio - 1.0))),
        holds: FEWER,
        unit: Unit::Difference,
        needs: "all schemes at one size at least, 7 ply",
    };
    let ours = against_best(results, line(Scheme::TwoBig1), &others);
    let rows = others.iter().map(|&other| {
        Pairing::over_sizes(results, format!("TWOBIG1 against {}", other.scheme), line(Scheme::TwoBig1), other, DEPTH)
    });
    let what = format!("7 ply, {between}, all sizes");
    let runner_up = depth_by_depth(results, line(Scheme::TwoBig1), line(Scheme::TwoDeep));
    let places = [order(results, stamped, 7), order(results, stamped, 8)];
    question.answer(ours, paragraphs(places.into_iter().chain([paired(results, &what, rows), runner_up])))
}

/// The places of the schemes at each size. Empty if no size has all schemes.
fn order(results: &Results, stamped: bool, depth: u32) -> String {
    let lines = SCHEMES.map(|scheme| Line { scheme, stamped });
    let Some(grid) = Grid::new(results, &lines, depth, &SIZES) else { return String::new() };
    let picks: Vec<usize> = (0..super::TESTS).collect();
    let between = if stamped { "stamped" } else { "cleared" };
    let labels = grid.sizes.iter().map(|&size| markdown::size(size));
    let heading =
        std::iter::once(format!("place, {depth} ply, {between}")).chain(labels).chain(["all sizes".to_owned()]);
    let mut table = Table::new(heading);
    let columns: Vec<Vec<f64>> = grid.totals(&picks).into_iter().chain([grid.merits(&picks)]).collect();
    for (line, scheme) in SCHEMES.into_iter().enumerate() {
        let place = |column: &Vec<f64>| 1 + column.iter().filter(|&&total| total < column[line]).count();
        table.row(
            std::iter::once(scheme.name().to_owned()).chain(columns.iter().map(|column| place(column).to_string())),
        );
    }
    table.to_string()
}

pub(super) fn nodes_over_depth(results: &Results, paper: &Paper) -> Claim {
    let lines = [Scheme::TwoBig1, Scheme::TwoDeep, Scheme::Big1, Scheme::Deep].map(Line::cleared);
    let [two_big, two_deep, big, deep] = lines;
    let ratio = |totals: &[f64]| match totals[..] {
        [two_big, two_deep, big, deep] => (two_big / two_deep * (big / deep)).sqrt(),
        _ => f64::NAN,
    };
    let theirs = lines.iter().map(|&line| paper.largest(line, DEPTH)).collect::<Option<Vec<f64>>>();
    let question = Question {
        name: "nodes over depth",
        source: "section 8",
        statement: "The number of nodes of a subtree is a better criterion than its depth.",
        criterion: "TWOBIG1 against TWODEEP and BIG1 against DEEP, geometric mean of both over the sizes (7 ply, cleared): fewer."
            .to_owned(),
        paper: format!("fewer; {} at 1024K (Table 2)", or_dash(theirs, |totals| signed_percent(ratio(&totals) - 1.0))),
        holds: FEWER,
        unit: Unit::Difference,
        needs: "TWOBIG1, TWODEEP, BIG1 and DEEP at one size at least, 7 ply, cleared",
    };
    let ours = Grid::new(results, &lines, DEPTH, &SIZES).and_then(|grid| number(|picks| ratio(&grid.merits(picks))));
    let details = [
        size_by_size(results, two_big, two_deep),
        size_by_size(results, big, deep),
        depth_by_depth(results, big, deep),
    ];
    question.answer(ours, paragraphs(details))
}

pub(super) fn deep_not_best(results: &Results, paper: &Paper) -> Claim {
    let deep = Line::cleared(Scheme::Deep);
    let others: Vec<Line> = SCHEMES.into_iter().filter(|&scheme| scheme != Scheme::Deep).map(Line::cleared).collect();
    let theirs = others.iter().map(|&other| paper.largest(other, DEPTH)).collect::<Option<Vec<f64>>>();
    let theirs = paper.largest(deep, DEPTH).zip(theirs).map(|(deep, others)| deep / least(others));
    let question = Question {
        name: "DEEP not best",
        source: "section 8",
        statement: "DEEP, the most widely used scheme, is not best.",
        criterion: "DEEP's total against the best of the others, geometric mean over the sizes (7 ply, cleared): more."
            .to_owned(),
        paper: format!("more; {} at 1024K (Table 2)", or_dash(theirs, |ratio| signed_percent(ratio - 1.0))),
        holds: MORE,
        unit: Unit::Difference,
        needs: "all schemes at one size at least, 7 ply, cleared",
    };
    let rows = others
        .iter()
        .map(|&other| Pairing::over_sizes(results, format!("DEEP against {}", other.scheme), deep, other, DEPTH));
    question.answer(against_best(results, deep, &others), paired(results, "7 ply, cleared, all sizes", rows))
}

pub(super) fn largest_and_deepest(results: &Results, paper: &Paper) -> Claim {
    let theirs = |stamped: bool| {
        let total = |scheme| paper.largest(Line { scheme, stamped }, 8);
        let others = SCHEMES.into_iter().skip(1).map(total).collect::<Option<Vec<f64>>>()?;
        Some(total(Scheme::TwoBig1)? / least(others))
    };
    let difference = |ratio: Option<f64>| or_dash(ratio, |ratio| signed_percent(ratio - 1.0));
    let question = Question {
        name: "TWOBIG1 at the largest",
        source: "Table 3",
        statement: "At the largest size and depth, stamped, TWOBIG1 is best.",
        criterion: "TWOBIG1's total against the best of the others (8 ply, 1024K, stamped): fewer.".to_owned(),
        paper: format!("{}; but cleared (Table 2) {}", difference(theirs(true)), difference(theirs(false))),
        holds: FEWER,
        unit: Unit::Difference,
        needs: "all schemes at 1024K, 8 ply, stamped",
    };
    let grid = Grid::new(results, &SCHEMES.map(Line::stamped), 8, &[LARGEST]);
    let ours = grid.and_then(|grid| {
        number(|picks| match &grid.merits(picks)[..] {
            [first, rest @ ..] => first / least(rest.iter().copied()),
            [] => f64::NAN,
        })
    });
    let rows = [true, false].into_iter().flat_map(|stamped| {
        let cell = move |scheme| Cell::of(Line { scheme, stamped }, LARGEST, 8);
        let others = SCHEMES.into_iter().skip(1);
        others.map(move |other| {
            Pairing::single(line_name(Line { scheme: other, stamped }), cell(Scheme::TwoBig1), cell(other))
        })
    });
    question.answer(ours, paired(results, "TWOBIG1 at 1024K, 8 ply, against", rows))
}

pub(super) fn forgetful_are_last(results: &Results, paper: &Paper) -> Claim {
    let (forgetful, others): (Vec<Scheme>, Vec<Scheme>) =
        SCHEMES.into_iter().partition(|scheme| matches!(scheme, Scheme::New | Scheme::Old));
    let better_over_worst = |totals: &[f64]| {
        let (forgetful, others) = totals.split_at_checked(forgetful.len()).unwrap_or_default();
        least(forgetful.iter().copied()) / greatest(others.iter().copied())
    };
    let ordered: Vec<Scheme> = forgetful.iter().chain(&others).copied().collect();
    let theirs = |stamped| {
        let totals =
            ordered.iter().map(|&scheme| paper.largest(Line { scheme, stamped }, 8)).collect::<Option<Vec<f64>>>();
        or_dash(totals, |totals| signed_percent(better_over_worst(&totals) - 1.0))
    };
    let question = Question {
        name: "NEW and OLD last",
        source: "Tables 2 and 3",
        statement: "At the largest size and depth NEW and OLD, which weigh nothing, are the last two.",
        criterion:
            "The better of NEW's and OLD's totals against the worst of the others (8 ply, 1024K, cleared): more."
                .to_owned(),
        paper: format!("{} cleared, {} stamped", theirs(false), theirs(true)),
        holds: MORE,
        unit: Unit::Difference,
        needs: "all schemes at 1024K, 8 ply, cleared",
    };
    let lines: Vec<Line> = ordered.iter().map(|&scheme| Line::cleared(scheme)).collect();
    let grid = Grid::new(results, &lines, 8, &[LARGEST]);
    let ours = grid.and_then(|grid| number(|picks| better_over_worst(&grid.merits(picks))));
    let details = [false, true].map(|stamped| {
        super::super::tables::by_size(results, stamped, 8).map_or_else(String::new, |table| {
            let between = if stamped { "stamped" } else { "cleared" };
            format!("Nodes at 8 ply in thousands, {between}:\n\n{table}")
        })
    });
    question.answer(ours, paragraphs(details))
}

pub(super) fn big_all(results: &Results, paper: &Paper) -> Claim {
    let theirs = |stamped| {
        let total = |scheme| paper.largest(Line { scheme, stamped }, DEPTH);
        or_dash(total(Scheme::BigAll).zip(total(Scheme::Big1)), |(all, one)| signed_percent(all / one - 1.0))
    };
    let question = Question {
        name: "BIGALL and BIG1",
        source: "Tables 2 and 3",
        statement: "Whether a table hit counts as one node (BIG1) or as all behind it (BIGALL) matters little.",
        criterion: "BIGALL's total against BIG1's, geometric mean over the sizes (7 ply, cleared): within 2 %."
            .to_owned(),
        paper: format!("{} cleared, {} stamped (7 ply, 1024K)", theirs(false), theirs(true)),
        holds: 0.98..=1.02,
        unit: Unit::Difference,
        needs: "BIGALL and BIG1 at one size at least, 7 ply, cleared",
    };
    let line = |scheme, stamped| Line { scheme, stamped };
    let (all, one) = (line(Scheme::BigAll, false), line(Scheme::Big1, false));
    let ours = against_best(results, all, &[one]);
    let details = [
        size_by_size(results, all, one),
        size_by_size(results, line(Scheme::BigAll, true), line(Scheme::Big1, true)),
        depth_by_depth(results, all, one),
    ];
    question.answer(ours, paragraphs(details))
}
