//! Facts of this build, for bug reports, games and results: version, commit, compiler, target, network, bench.

use super::bench;
use crate::eval::Network;

/// Name, version and commit, as in `Sesame 0.1.0 (abc1234)`. Only a build from a checkout has a commit.
pub const NAME: &str = concat!("Sesame ", env!("SESAME_VERSION"));

/// Version and commit, as in `0.1.0 (abc1234)`.
pub const VERSION: &str = env!("SESAME_VERSION");

/// Returns the nodes of `bench`, which are known for the embedded network alone, and not with other parameters.
pub fn bench(network: &Network) -> Option<u64> {
    (!cfg!(feature = "tune") && network.hash() == Network::embedded().hash()).then_some(bench::NODES)
}

/// Returns the facts, each with its name. `network` is the one in use.
pub fn facts(network: &Network) -> [(&'static str, String); 9] {
    let or_unknown = |text: &str| if text.is_empty() { "unknown" } else { text }.to_owned();
    [
        ("version", env!("CARGO_PKG_VERSION").to_owned()),
        ("commit", or_unknown(env!("SESAME_COMMIT"))),
        ("compiler", or_unknown(env!("SESAME_COMPILER"))),
        ("target", env!("SESAME_TARGET").to_owned()),
        ("cpu features", or_unknown(env!("SESAME_CPU_FEATURES"))),
        ("profile", env!("SESAME_PROFILE").to_owned()),
        ("network", format!("{:016x}", network.hash())),
        ("kernels", network.simd().to_string()),
        ("bench", bench(network).map_or("unknown".to_owned(), |nodes| nodes.to_string())),
    ]
}

/// Returns [`NAME`], and a line for each fact.
pub fn description(network: &Network) -> String {
    let lines = facts(network).map(|(name, value)| format!("{name:12} : {value}"));
    format!("{NAME}\n\n{}", lines.join("\n"))
}
