//! What measurements are told with: intervals, tables, pictures, and pages of Markdown and HTML. Knows nothing of chess.

pub(crate) mod chart;
pub(crate) mod html;
pub(crate) mod markdown;
mod progress;
pub mod statistics;

pub use chart::ChartError;
pub(crate) use progress::Progress;
