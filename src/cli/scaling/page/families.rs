//! Families of variants: the curves of a figure that can be told apart.

use super::super::Variant;

/// Number of curves up to which one figure shows all variants, and limit for each family: the number of styles
/// that differ in colour.
const MOST: usize = 7;

/// The variants of one figure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Family {
    /// The name for titles; empty if there is only one figure.
    pub(super) title: String,
    /// The part of file names; empty if there is only one figure.
    pub(super) suffix: String,
    /// The numbers of the variants. The first variant of all is the first of each family, for comparison.
    pub(super) members: Vec<usize>,
}

/// Returns the families of these variants: one for all if they fit into a figure, else one each for depth
/// distributions, shared histories, other techniques, and votes.
pub(super) fn families(variants: &[&str]) -> Vec<Family> {
    if variants.len() <= MOST {
        let members = (0..variants.len()).collect();
        return vec![Family { title: String::new(), suffix: String::new(), members }];
    }
    let mut families = Vec::new();
    for kind in Kind::ALL {
        let members: Vec<usize> = (1..)
            .zip(variants.iter().skip(1))
            .filter(|(_, name)| Kind::of(name) == kind)
            .map(|(number, _)| number)
            .collect();
        let parts = members.chunks(MOST - 1);
        let count = parts.len();
        for (part, number) in parts.zip(1..) {
            let (title, suffix) = match count {
                1 => (kind.title().to_owned(), format!("-{}", kind.word())),
                _ => (format!("{} ({number} of {count})", kind.title()), format!("-{}-{number}", kind.word())),
            };
            let members = std::iter::once(0).chain(part.iter().copied()).collect();
            families.push(Family { title, suffix, members });
        }
    }
    families
}

/// The kind of a strategy.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Kind {
    Depths,
    Sharing,
    Techniques,
    Votes,
    Unknown,
}

impl Kind {
    const ALL: [Kind; 5] = [Kind::Depths, Kind::Sharing, Kind::Techniques, Kind::Votes, Kind::Unknown];

    fn of(name: &str) -> Self {
        if name.parse::<Variant>().is_ok() { Kind::Depths } else { Kind::Unknown }
    }

    const fn title(self) -> &'static str {
        match self {
            Kind::Depths => "distribution of depths",
            Kind::Sharing => "shared histories",
            Kind::Techniques => "other techniques",
            Kind::Votes => "votes",
            Kind::Unknown => "other variants",
        }
    }

    const fn word(self) -> &'static str {
        match self {
            Kind::Depths => "depths",
            Kind::Sharing => "sharing",
            Kind::Techniques => "techniques",
            Kind::Votes => "votes",
            Kind::Unknown => "others",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_variants_are_one_figure() {
        assert_eq!(families(&["half"; 7])[0].suffix, "");
        assert_eq!(families(&["half", "same"])[0].members, [0, 1]);
    }
}
