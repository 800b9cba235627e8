//! Tables of the report: Tables 1 to 3 of the paper beside the new results, the differences, and those behind the statements.

use super::counts::{
    Cell, Counts, DEPTHS, LARGEST, SCHEMES, Sample, Variant, all_variants, between, cleared, geometric_mean, maximum,
    minimum, paper, paper_share, spread, stamped, variants, without_table,
};
use crate::experiment::{DEEP_SIZES, SIZES};
use crate::positions::TESTS;
use sesame_report::markdown::{self, DASH, Table, Unit, or_dash, percent, signed_percent, thousands};
use sesame_report::statistics::{Comparison, compare};
use sesame_table::Scheme;

type Row = (String, Vec<String>);

pub(super) const DEPTH: u32 = 7;

pub(super) fn written(value: f64, write: impl Fn(f64) -> String) -> String {
    or_dash(Some(value).filter(|value| !value.is_nan()), write)
}

fn row(label: impl ToString, values: impl IntoIterator<Item = f64>, write: fn(f64) -> String) -> Row {
    (label.to_string(), values.into_iter().map(|value| written(value, write)).collect())
}

fn is_blank((_, cells): &Row) -> bool {
    cells.iter().all(|cell| cell == DASH)
}

/// Returns nothing if all cells are dashes.
fn table(corner: &str, columns: impl IntoIterator<Item = String>, rows: impl IntoIterator<Item = Row>) -> String {
    let mut table = Table::new(std::iter::once(corner.to_owned()).chain(columns));
    let mut all_blank = true;
    for row in rows {
        all_blank &= is_blank(&row);
        table.row(std::iter::once(row.0).chain(row.1));
    }
    if all_blank { String::new() } else { table.to_string() }
}

fn plies(depth: u32) -> String {
    format!("{depth} ply")
}

pub(super) fn paragraphs(parts: impl IntoIterator<Item = String>) -> String {
    let filled = parts.into_iter().filter(|part| !part.is_empty());
    filled.map(|part| format!("{}\n", part.trim_end())).collect::<Vec<_>>().join("\n")
}

fn ours_and_paper(counts: &Counts, name: &str, cell: impl Fn(u32) -> Cell) -> [Row; 3] {
    let (ours, theirs) = (DEPTHS.map(|depth| counts.all().total(cell(depth))), DEPTHS.map(|depth| paper(cell(depth))));
    let ratios = ours.iter().zip(theirs).map(|(ours, theirs)| ours / theirs);
    [
        row(format!("{name}ours"), ours, thousands),
        row(format!("{name}paper"), theirs, thousands),
        row(format!("{name}ratio"), ratios, |ratio| format!("{ratio:.2}")),
    ]
}

pub(super) fn table_1(counts: &Counts) -> String {
    let growth = |name: &str, total: &dyn Fn(u32) -> f64| {
        let growth = DEPTHS.map(|depth| total(depth) / total(depth - 1));
        row(format!("growth per ply, {name}"), growth, |growth| format!("{growth:.2}"))
    };
    let ours = growth("ours", &|depth| counts.all().total(without_table(depth)));
    let theirs = growth("paper", &|depth| paper(without_table(depth)));
    let rows = ours_and_paper(counts, "", without_table).into_iter().chain([ours, theirs]);
    table("without a table", DEPTHS.map(plies), rows)
}

pub(super) fn table_2(counts: &Counts, stamped: bool) -> String {
    let rows = variants(stamped).into_iter().flat_map(|variant| {
        ours_and_paper(counts, &format!("{}, ", variant.scheme), |depth| variant.at(LARGEST, depth))
    });
    table("scheme", DEPTHS.map(plies), rows)
}

/// Returns the nodes with a table of 1024K positions, as a fraction of those without.
pub(super) fn share(sample: Sample, variant: Variant, depth: u32) -> f64 {
    sample.total(variant.at(LARGEST, depth)) / sample.total(without_table(depth))
}

/// The variants of a scheme follow each other.
fn cleared_and_stamped() -> impl Iterator<Item = Variant> {
    SCHEMES.into_iter().flat_map(|scheme| [cleared(scheme), stamped(scheme)])
}

/// Shares of the nodes that a table leaves, for each cell of Tables 2 and 3, beside the paper's.
pub(super) fn shares(counts: &Counts) -> String {
    let rows = cleared_and_stamped().map(|variant| {
        let cell = |depth| {
            let (ours, theirs) = (share(counts.all(), variant, depth), paper_share(variant, depth));
            written(ours, |ours| format!("{ours:.2} / {theirs:.2} ({})", signed_percent(ours / theirs - 1.0)))
        };
        (variant.to_string(), DEPTHS.map(cell).to_vec())
    });
    let mut table = Table::new(std::iter::once("nodes with / without a table".to_owned()).chain(DEPTHS.map(plies)));
    rows.for_each(|row| table.row(std::iter::once(row.0).chain(row.1)));
    table.to_string()
}

/// Returns two sentences: totals of Table 1 within a factor of 2, shares of Tables 2 and 3 within 15 %.
pub(super) fn nearness(counts: &Counts) -> Vec<String> {
    let farthest = |ratios: &[(String, f64)]| {
        let ratios = ratios.iter().filter(|(_, ratio)| !ratio.is_nan());
        ratios.max_by(|a, b| a.1.ln().abs().total_cmp(&b.1.ln().abs())).cloned()
    };
    let total = |depth| (plies(depth), counts.all().total(without_table(depth)) / paper(without_table(depth)));
    let without = farthest(&DEPTHS.map(total)).map(|(place, ratio)| {
        let verdict = if (0.5..=2.0).contains(&ratio) { "within" } else { "beyond" };
        format!(
            "Without a table we visit {ratio:.2} times the paper's nodes where we differ most ({place}): \
             {verdict} a factor of 2."
        )
    });
    let ratios = |variant| {
        let ratio = |depth| share(counts.all(), variant, depth) / paper_share(variant, depth);
        DEPTHS.map(|depth| (format!("{depth} ply, {variant}"), ratio(depth)))
    };
    let mut shares: Vec<(String, f64)> = cleared_and_stamped().flat_map(ratios).collect();
    shares.retain(|(_, ratio)| !ratio.is_nan());
    let within = shares.iter().filter(|(_, ratio)| (0.85..=1.15).contains(ratio)).count();
    let with = farthest(&shares).map(|(place, ratio)| {
        format!(
            "The share of those nodes that a table of 1024K positions leaves is within 15 % of the paper's in \
             {within} of {} entries of Tables 2 and 3; we differ most at {place}: {} \
             against the paper.",
            shares.len(),
            signed_percent(ratio - 1.0)
        )
    });
    without.into_iter().chain(with).collect()
}

pub(super) fn by_size(counts: &Counts, stamped: bool, depth: u32) -> String {
    let totals = |size| counts.all().totals(stamped, size, depth);
    let mut sizes = SIZES.to_vec();
    sizes.retain(|&size| totals(size).iter().any(|total| !total.is_nan()));
    let of_scheme = |(index, scheme)| row(scheme, sizes.iter().map(|&size| totals(size)[index]), thousands);
    let spreads = row("spread", sizes.iter().map(|&size| spread(&totals(size))), percent);
    let rows = SCHEMES.into_iter().enumerate().map(of_scheme).chain([spreads]);
    table("scheme", sizes.iter().copied().map(markdown::size), rows)
}

/// Rows of [`Table`] with percentages for each depth that has some.
fn by_depth(corner: &str, columns: impl IntoIterator<Item = String>, values: impl Fn(u32) -> Vec<f64>) -> String {
    let rows = DEPTHS.map(|depth| row(plies(depth), values(depth), percent));
    table(corner, columns, rows.into_iter().filter(|row| !is_blank(row)))
}

pub(super) fn doublings(counts: &Counts) -> String {
    let rows = all_variants().map(|variant| {
        let total = |size| counts.all().total(variant.at(size, DEPTH));
        let steps = SIZES.windows(2).map(|step| 1.0 - total(step[1]) / total(step[0]));
        let mean = 1.0 - (total(LARGEST) / total(SIZES[0])).powf(1.0 / (SIZES.len() - 1) as f64);
        row(variant, steps.chain([mean]), percent)
    });
    if rows.iter().all(|(_, cells)| cells[..cells.len() - 1].iter().all(|cell| cell == DASH)) {
        return String::new();
    }
    table("saved by doubling", SIZES.windows(2).map(step_label).chain(["mean".to_owned()]), rows)
}

fn step_label(step: &[usize]) -> String {
    format!("{}–{}", step[0] / 1024, markdown::size(step[1]))
}

/// Returns the saving per doubling between two sizes, in the mean of the schemes, cleared.
pub(super) fn saved(sample: Sample, first: usize, last: usize, depth: u32) -> f64 {
    let mean = |size| geometric_mean(sample.totals(false, size, depth));
    1.0 - (mean(last) / mean(first)).powf(1.0 / f64::from(last.ilog2() - first.ilog2()))
}

/// Savings per doubling by depth: deeper searches fill the table more.
pub(super) fn doublings_by_depth(counts: &Counts) -> String {
    let by_depth = |corner: &str, steps: Vec<&[usize]>| {
        let saved = |depth| steps.iter().map(|step| saved(counts.all(), step[0], step[1], depth)).collect();
        by_depth(corner, steps.iter().map(|step| step_label(step)), saved)
    };
    let ends = [DEEP_SIZES[0], LARGEST];
    paragraphs([
        by_depth("saved by doubling, cleared", SIZES.windows(2).collect()),
        by_depth("saved per doubling, cleared", DEEP_SIZES.windows(2).chain([&ends[..]]).collect()),
    ])
}

pub(super) fn spreads(counts: &Counts) -> String {
    let of_size = |size| {
        let cells = [false, true].into_iter().flat_map(|stamped| {
            let totals = counts.all().totals(stamped, size, DEPTH);
            let scheme = |wanted: f64| {
                let found = SCHEMES.iter().zip(totals).find(|(_, total)| *total == wanted);
                or_dash(found, |(scheme, _)| scheme.name().to_owned())
            };
            [scheme(minimum(totals)), scheme(maximum(totals)), written(spread(&totals), percent)]
        });
        (markdown::size(size), cells.collect())
    };
    let columns = ["best, cleared", "worst, cleared", "spread", "best, stamped", "worst, stamped", "spread"];
    let by_depth = by_depth("spread, cleared", SIZES.map(markdown::size), |depth| {
        SIZES.map(|size| spread(&counts.all().totals(false, size, depth))).to_vec()
    });
    paragraphs([table("table", columns.map(str::to_owned), SIZES.map(of_size)), by_depth])
}

pub(super) fn ranks(counts: &Counts, stamped: bool, depth: u32) -> String {
    let sizes = counts.sizes(&variants(stamped), depth);
    let totals = sizes.iter().map(|&size| counts.all().totals(stamped, size, depth));
    let columns: Vec<[f64; 7]> = totals.chain([counts.all().merits(stamped, &sizes, depth)]).collect();
    let rows = SCHEMES.iter().enumerate().map(|(index, scheme)| {
        let rank = |column: &[f64; 7]| 1 + column.iter().filter(|&&total| total < column[index]).count();
        (scheme.to_string(), columns.iter().map(|column| rank(column).to_string()).collect())
    });
    let labels = sizes.iter().copied().map(markdown::size).chain(["all sizes".to_owned()]);
    let corner = format!("place, {depth} ply, {}", between(stamped));
    if sizes.is_empty() { String::new() } else { table(&corner, labels, rows) }
}

pub(super) fn orders(counts: &Counts) -> String {
    let sizes = counts.sizes(&all_variants(), DEPTH);
    let mut table = Table::new(["7 ply", "cleared, from best to worst", "stamped, from best to worst", "Kendall"])
        .with_text_columns(3);
    let mut add = |label: String, totals: &dyn Fn(bool) -> [f64; 7]| {
        let [cleared, stamped] = [false, true].map(totals);
        let kendall = Unit::Number.write(concordance(&cleared, &stamped));
        table.row([label, ranked(cleared).join(", "), ranked(stamped).join(", "), kendall]);
    };
    for &size in &sizes {
        add(markdown::size(size), &|stamped| counts.all().totals(stamped, size, DEPTH));
    }
    add("all sizes".to_owned(), &|stamped| counts.all().merits(stamped, &sizes, DEPTH));
    if sizes.is_empty() { String::new() } else { table.to_string() }
}

pub(super) fn ranked(totals: [f64; 7]) -> Vec<&'static str> {
    let mut order: Vec<(f64, Scheme)> = totals.into_iter().zip(SCHEMES).collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    order.into_iter().map(|(_, scheme)| scheme.name()).collect()
}

/// Kendall's coefficient: the share of pairs in the same order less the share in the opposite order.
pub(super) fn concordance(one: &[f64], other: &[f64]) -> f64 {
    let (mut sum, mut pairs) = (0.0, 0.0);
    for (place, (a, b)) in one.iter().zip(other).enumerate() {
        for (c, d) in one.iter().zip(other).take(place) {
            let product = (a - c) * (b - d);
            sum += f64::from(i8::from(product > 0.0) - i8::from(product < 0.0));
            pairs += 1.0;
        }
    }
    sum / pairs
}

pub(super) fn two_levels_against_one(totals: [f64; 7]) -> f64 {
    let (two, one) = totals.split_at(2);
    maximum(two.iter().copied()) / minimum(one.iter().copied())
}

pub(super) fn two_levels(counts: &Counts) -> String {
    let of_size = |size| {
        let ratio = |stamped| two_levels_against_one(counts.all().totals(stamped, size, DEPTH)) - 1.0;
        row(markdown::size(size), [false, true].map(ratio), signed_percent)
    };
    let columns = ["cleared", "stamped"].map(str::to_owned);
    let sizes = table("worse two-level against best one-level, 7 ply", columns, SIZES.map(of_size));
    let pairs = SCHEMES[..2].iter().flat_map(|&two| SCHEMES[2..].iter().map(move |&one| (two, one)));
    let pairs = pairs.map(|(two, one)| {
        Pairing::over_sizes(counts, format!("{two} against {one}"), [cleared(two), cleared(one)], DEPTH)
    });
    if counts.sizes(&variants(false), DEPTH).is_empty() {
        return String::new();
    }
    paragraphs([sizes, paired(counts, "7 ply, cleared, all sizes", pairs)])
}

pub(super) fn stamped_against_cleared(counts: &Counts) -> String {
    let rows = SCHEMES.map(|scheme| {
        let total = |variant: Variant, size| counts.all().total(variant.at(size, DEPTH));
        let ratio = |size| total(stamped(scheme), size) / total(cleared(scheme), size) - 1.0;
        row(scheme, SIZES.map(ratio), signed_percent)
    });
    table("stamped against cleared, 7 ply", SIZES.map(markdown::size), rows)
}

/// Pairs of cells whose ratios are averaged.
pub(super) struct Pairing {
    label: String,
    pairs: Vec<[Cell; 2]>,
}

impl Pairing {
    pub(super) fn new(label: impl ToString, cell: Cell, base: Cell) -> Pairing {
        Pairing { label: label.to_string(), pairs: vec![[cell, base]] }
    }

    pub(super) fn over_sizes(counts: &Counts, label: impl ToString, both: [Variant; 2], depth: u32) -> Pairing {
        let pair = |size| both.map(|variant| variant.at(size, depth));
        Pairing { label: label.to_string(), pairs: counts.sizes(&both, depth).into_iter().map(pair).collect() }
    }

    pub(super) fn of_stamps(label: String, size: usize, depth: u32) -> Pairing {
        let pair = |scheme| [stamped(scheme), cleared(scheme)].map(|variant| variant.at(size, depth));
        Pairing { label, pairs: SCHEMES.map(pair).to_vec() }
    }

    fn mean_ratio(&self, sample: Sample) -> f64 {
        geometric_mean(self.pairs.iter().map(|&[cell, base]| sample.total(cell) / sample.total(base)))
    }
}

/// Comparisons by position, with a row for each pairing in the results.
pub(super) fn paired(counts: &Counts, corner: &str, pairings: impl IntoIterator<Item = Pairing>) -> String {
    let rows = pairings.into_iter().filter_map(|pairing| {
        let by_position: Vec<f64> = (0..TESTS).map(|test| pairing.mean_ratio(counts.sample(&[test]))).collect();
        let comparison = compare(&by_position)?;
        let Comparison { below, equal, count, mean } = comparison;
        let equal = if equal > 0 { format!(", {equal} equal") } else { String::new() };
        let all = signed_percent(pairing.mean_ratio(counts.all()) - 1.0);
        let mean = Unit::Difference.write_estimate_beside(mean, &[1.0]);
        let decided = if comparison.is_decided() { "yes" } else { "no" };
        Some((pairing.label, vec![all, mean, format!("{below} of {count}{equal}"), decided.to_owned()]))
    });
    let columns = ["all nodes", "per position (95 %)", "fewer nodes on", "beyond chance"];
    table(corner, columns.map(str::to_owned), rows)
}

pub(super) fn against_others(variant: Variant, size: usize, depth: u32) -> impl Iterator<Item = Pairing> {
    variant.others().map(move |other| Pairing::new(other, variant.at(size, depth), other.at(size, depth)))
}

pub(super) fn one_by_one(counts: &Counts, variant: Variant) -> String {
    let pairings = variant.others().map(|other| {
        let label = format!("{} against {}", variant.scheme, other.scheme);
        Pairing::over_sizes(counts, label, [variant, other], DEPTH)
    });
    paired(counts, &format!("7 ply, {}, all sizes", between(variant.stamped)), pairings)
}

pub(super) fn size_by_size(counts: &Counts, variant: Variant, base: Variant) -> String {
    let at = |size| Pairing::new(markdown::size(size), variant.at(size, DEPTH), base.at(size, DEPTH));
    let all = Pairing::over_sizes(counts, "all sizes", [variant, base], DEPTH);
    paired(counts, &format!("{variant} against {}, 7 ply", base.scheme), SIZES.map(at).into_iter().chain([all]))
}

pub(super) fn depth_by_depth(counts: &Counts, variant: Variant, base: Variant) -> String {
    let pairings = DEPTHS.map(|depth| Pairing::over_sizes(counts, plies(depth), [variant, base], depth));
    paired(counts, &format!("{variant} against {}, all sizes", base.scheme), pairings)
}

pub(super) fn compared(counts: &Counts, scheme: Scheme, base: Scheme) -> String {
    paragraphs([
        size_by_size(counts, cleared(scheme), cleared(base)),
        size_by_size(counts, stamped(scheme), stamped(base)),
        depth_by_depth(counts, cleared(scheme), cleared(base)),
    ])
}

pub(super) fn against_no_table(label: impl ToString, variant: Variant, depth: u32) -> Pairing {
    Pairing::new(label, variant.at(LARGEST, depth), without_table(depth))
}

pub(super) fn factors(counts: &Counts) -> String {
    let of_depth = |depth| {
        let cells = [cleared, stamped].into_iter().flat_map(|of| {
            let variant = of(Scheme::TwoBig1);
            let ours = counts.estimate(|sample| 1.0 / share(sample, variant, depth));
            let theirs = Unit::Number.write(1.0 / paper_share(variant, depth));
            [or_dash(ours, |ours| Unit::Number.write_estimate(ours)), theirs]
        });
        (plies(depth), cells.collect())
    };
    let columns = ["ours, cleared (95 %)", "paper", "ours, stamped (95 %)", "paper"].map(str::to_owned);
    let table = table("depth", columns, DEPTHS.map(of_depth));
    format!("Nodes without a table over nodes of TWOBIG1 at 1024K:\n\n{table}")
}
