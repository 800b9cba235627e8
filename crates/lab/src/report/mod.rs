//! The report of the experiment: the paper's tables and figures beside the new ones, and a verdict on each of its claims.
//!
//! The report is some pages of Markdown with figures in SVG. [`pages`] makes them from a results file. The same
//! results give the same bytes. Incomplete results give a report that names the missing searches.

mod claims;
mod counts;
mod figures;
mod page;
mod statements;
mod tables;
#[cfg(test)]
mod tests;

pub use page::{SCHEMES_FOLDER, meta_path, pages};
