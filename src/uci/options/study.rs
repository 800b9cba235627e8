//! Options for measurements: the sharing of histories, and simulated machines, whose workers share all. They count for the
//! workers and the table that there are: `Threads` and `Hash` come first.

use std::sync::Arc;

use super::{OptionKind, UciOption, spin};
use crate::engine::{EngineError, ExchangeSettings, Sharing, SharingStudy, SimulatedMachines};
use crate::search::TranspositionTable;
use crate::uci::session::Session;

/// A group or a number of machines beyond all workers.
const ALL: i64 = super::MAX_THREADS;

/// No entry is so deep: nothing is exchanged.
const NOTHING: u8 = u8::MAX;

pub(super) static OPTIONS: [UciOption; 5] = [
    UciOption::new(
        "Sharing",
        OptionKind::Combo {
            default: "all",
            values: || Sharing::ALL.map(Sharing::name).to_vec(),
            apply: |session, name| {
                let sharing = Sharing::ALL.into_iter().find(|sharing| sharing.name() == name);
                session.share(|study| study.sharing = sharing.unwrap_or_default());
            },
        },
    ),
    spin("Sharing Group", ALL, 1..=ALL, |session, group| session.share(|study| study.group = group as usize)),
    spin("Exchange Depth", 5, 1..=NOTHING as i64, |session, depth| {
        session.simulate(|study| study.exchange.min_depth = depth as u8);
    }),
    spin("Exchange Delay", 1000, 0..=1_000_000_000, |session, nodes| {
        session.simulate(|study| study.exchange.delay = nodes as u64);
    }),
    spin("Machines", 1, 1..=ALL, |session, machines| session.simulate(|study| study.machines = machines as usize)),
];

/// Simulated machines, each with a table of the size of the engine's.
#[derive(Debug, Clone, Copy)]
pub(in crate::uci) struct Simulation {
    machines: usize,
    exchange: ExchangeSettings,
}

impl Default for Simulation {
    fn default() -> Self {
        Self { machines: 1, exchange: ExchangeSettings::default() }
    }
}

impl Session {
    fn share(&mut self, change: impl FnOnce(&mut SharingStudy)) {
        let usual = SharingStudy { sharing: Sharing::All, group: ALL as usize };
        let mut study = self.engine.options().sharing_study.unwrap_or(usual);
        change(&mut study);
        self.change(|engine| engine.set_sharing_study(study));
    }

    fn simulate(&mut self, change: impl FnOnce(&mut Simulation)) {
        change(&mut self.simulation);
        let Simulation { machines, exchange } = self.simulation;
        self.change(|engine| {
            let options = engine.options();
            let table = |_| Ok(Arc::new(TranspositionTable::with_mib(options.hash_mib, options.scheme)?));
            let tables = (0..machines).map(table).collect::<Result<_, EngineError>>()?;
            engine.simulate_machines((machines > 1).then(|| Arc::new(SimulatedMachines::new(tables, exchange))))
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{session, set};
    use crate::engine::Limits;
    use crate::position::Game;

    /// Of two games with these settings.
    fn nodes(settings: &[(&str, &str)]) -> [u64; 2] {
        let mut session = session();
        let before = [("Hash", "1"), ("Threads", "4"), ("Lockstep", "true")];
        before.iter().chain(settings).for_each(|(name, value)| set(&mut session, name, value));
        [(); 2].map(|()| {
            session.engine.new_game();
            let limits = Limits { depth: Some(9), ..Limits::default() };
            session.engine.search(&Game::default(), limits).unwrap().nodes
        })
    }

    #[test]
    fn every_setting_has_a_search_of_its_own() {
        let settings: [&[_]; 8] = [
            &[],
            &[("Sharing", "corrections+continuation")],
            &[("Sharing", "corrections")],
            &[("Sharing", "nothing")],
            &[("Sharing Group", "2")],
            &[("Machines", "2")],
            &[("Exchange Delay", "0"), ("Machines", "2")],
            &[("Exchange Depth", "255"), ("Machines", "2")],
        ];
        let mut all: Vec<u64> = settings.iter().flat_map(|settings| nodes(settings)).collect();
        all.dedup();
        assert_eq!(all.len(), settings.len(), "two games of a setting are equal, others differ: {all:?}");
        for usual in [[("Sharing", "all"), ("Sharing Group", "4")], [("Machines", "2"), ("Machines", "1")]] {
            assert_eq!(nodes(&usual), nodes(&[]));
        }
    }
}
