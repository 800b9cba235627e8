//! Measurement reports: intervals, tables, charts, pages of Markdown and HTML.
//!
//! Nothing here knows chess. The engine, the laboratory and the tuner share these modules:
//!
//! | module | contents |
//! |---|---|
//! | [`statistics`] | means with bootstrap intervals, seeded choices |
//! | [`markdown`], [`html`] | tables, numbers, texts with placeholders, pages |
//! | [`chart`] | line charts as SVG |
//!
//! ```
//! use sesame_report::markdown::{Table, Unit};
//! use sesame_report::statistics;
//!
//! // Nodes of a new version over those of the old one, position by position.
//! let ratios = [0.91, 0.97, 0.88, 1.02, 0.93, 0.95];
//! let comparison = statistics::compare(&ratios).unwrap();
//! assert!(comparison.is_decided(), "the interval does not contain 1");
//! let mut table = Table::new(["version", "nodes"]);
//! table.row(["new", &Unit::Difference.write_estimate(comparison.mean)]);
//! assert!(table.to_string().contains("| new | −5.8 %"), "{table}");
//! ```
//!
//! Examples of its pages: `docs/results` of the repository. Programs that use it: `sesame scaling`, `sesame-lab`,
//! `sesame-tuner`.

pub mod chart;
pub mod html;
pub mod markdown;
pub mod statistics;

pub use chart::ChartError;
