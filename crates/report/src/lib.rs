//! Measurement reports: intervals, tables, charts, pages of Markdown and HTML.
//!
//! Nothing here knows chess. The engine, the laboratory and the tuner share these modules:
//!
//! | module | contents |
//! |---|---|
//! | [`statistics`] | means with bootstrap intervals, seeded choices |
//! | [`markdown`], [`html`] | tables, numbers, texts with placeholders, pages |
//! | [`chart`] | line charts and bar charts as SVG |

pub mod chart;
pub mod html;
pub mod markdown;
pub mod statistics;

pub use chart::ChartError;

/// The mark of charts and pages, which tells that a program of Sesame wrote them and may replace them.
pub const MARK: &str = "<!-- Written by Sesame. -->";
