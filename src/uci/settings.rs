//! Effects of the UCI options on the session.

use std::path::Path;
use std::sync::Arc;

use super::format::shorten;
use super::options::DEFAULT_ELO;
use super::session::Session;
use crate::engine::{Affinity, EngineError, StrengthLimit, SyzygyOptions};
use crate::eval::Network;

/// The options of limited strength.
pub(super) struct Strength {
    /// `UCI_LimitStrength`.
    pub(super) limited: bool,
    /// `UCI_Elo`.
    pub(super) elo: u32,
    /// `Strength Seed`; 0 for none.
    pub(super) seed: u64,
    /// `UCI_AnalyseMode`.
    pub(super) analysing: bool,
}

impl Default for Strength {
    fn default() -> Self {
        Strength { limited: false, elo: DEFAULT_ELO, seed: 0, analysing: false }
    }
}

impl Strength {
    /// Returns the limit in force; analysis is always at full strength.
    fn limit(&self) -> Option<StrengthLimit> {
        (self.limited && !self.analysing).then(|| StrengthLimit::new(self.elo, (self.seed > 0).then_some(self.seed)))
    }
}

impl Session {
    /// Reports the error of a setting, and the state that remains.
    fn report<T>(&self, result: Result<T, EngineError>, remains: &str) {
        if let Err(error) = result {
            self.output.info(&format!("{error}; {remains}"));
        }
    }

    pub(super) fn set_hash(&mut self, mib: usize) {
        let result = self.engine.set_hash(mib);
        self.report(result, "the table in use stays");
    }

    /// Sets the scheme with this valid name.
    pub(super) fn set_scheme(&mut self, name: &str) {
        let Ok(scheme) = name.parse() else { return };
        let result = self.engine.set_scheme(scheme);
        self.report(result, "the table in use stays");
    }

    /// Sets the number of threads. The engine reports missing threads through its sink.
    pub(super) fn set_threads(&mut self, threads: usize) {
        let result = self.engine.set_threads(threads);
        self.report(result, "no thread is left to search");
    }

    /// Sets the strategy with this valid text.
    pub(super) fn set_strategy(&mut self, text: &str) {
        let Ok(strategy) = text.parse() else { return };
        let result = self.engine.set_strategy(strategy);
        self.report(result, "no thread is left to search");
    }

    /// Changes the binding of the workers.
    pub(super) fn set_affinity(&mut self, change: impl FnOnce(&mut Affinity)) {
        let mut affinity = self.engine.options().affinity.clone();
        change(&mut affinity);
        let result = self.engine.set_affinity(affinity);
        self.report(result, "no thread is left to search");
    }

    /// Turns lockstep on or off.
    pub(super) fn set_lockstep(&mut self, lockstep: bool) {
        let result = self.engine.set_lockstep(lockstep);
        self.report(result, "no thread is left to search");
    }

    pub(super) fn set_strength(&mut self, change: impl FnOnce(&mut Strength)) {
        change(&mut self.strength);
        self.engine.set_strength_limit(self.strength.limit());
    }

    pub(super) fn set_syzygy(&mut self, change: impl FnOnce(SyzygyOptions) -> SyzygyOptions) {
        self.engine.set_syzygy_options(change(self.engine.options().syzygy));
    }

    /// Loads the network of this file, or the embedded one. The network in use stays if the file is unusable.
    pub(super) fn set_network(&mut self, path: Option<&Path>) {
        match path.map(Network::read) {
            None => {
                let embedded = Network::embedded();
                if embedded != self.engine.options().network {
                    self.output.info(&format!("network {:016x} of this build again", embedded.hash()));
                }
                self.engine.set_network(embedded);
            }
            Some(Ok(network)) => {
                self.output.info(&format!("network {:016x} loaded, computed with {}", network.hash(), network.simd()));
                self.engine.set_network(Arc::new(network));
            }
            Some(Err(error)) => self.output.info(&shorten(&format!("{error}; the evaluation stays as it was"))),
        }
    }
}
