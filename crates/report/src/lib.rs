//! Measurement reports: intervals, tables, charts, pages of Markdown and HTML, and files that are replaced atomically.
//!
//! Nothing here knows chess. [`statistics`] estimates with intervals, [`markdown`] and [`html`] write pages, [`chart`] draws SVG
//! pictures, [`Progress`] shows a progress bar, [`files`] replaces files atomically, and [`random`] shuffles reproducibly.

#![allow(missing_docs)]

pub mod chart;
pub mod files;
pub mod html;
pub mod markdown;
mod progress;
pub mod random;
pub mod statistics;

pub use chart::ChartError;
pub use progress::Progress;
