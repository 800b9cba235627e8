//! Options whose name or form is new: the old one keeps working for a version, with a notice.

use std::ffi::OsString;

pub struct Renamed {
    subcommand: &'static str,
    old: &'static str,
    change: Change,
}

enum Change {
    Name(&'static str),
    /// The beginning of the notice. Returns the word for the option and its value; `None` if the value is not one of the old form.
    Form(&'static str, fn(&str) -> Option<String>),
}

impl Renamed {
    pub const fn name(subcommand: &'static str, old: &'static str, new: &'static str) -> Self {
        Self { subcommand, old, change: Change::Name(new) }
    }

    /// An option with another form of value. `renew` returns the word for option and value; `None` if the value is not of the old
    /// form. The notice begins with `notice`, such as `--movetime MS is now --time SECONDS`.
    pub const fn form(
        subcommand: &'static str,
        old: &'static str,
        notice: &'static str,
        renew: fn(&str) -> Option<String>,
    ) -> Self {
        Self { subcommand, old, change: Change::Form(notice, renew) }
    }

    /// Returns the word for an old option, whether it stands for the next word, too, and the notice.
    fn renew(&self, word: &str, next: Option<&OsString>) -> Option<(OsString, bool, String)> {
        let rest = word.strip_prefix(self.old).filter(|rest| rest.is_empty() || rest.starts_with('='))?;
        let (new, is_split, notice) = match self.change {
            Change::Name(new) => (format!("{new}{rest}"), false, format!("{} is now {new}", self.old)),
            Change::Form(notice, renew) => {
                let value = rest.strip_prefix('=').or_else(|| next?.to_str())?;
                (renew(value)?, rest.is_empty(), notice.to_owned())
            }
        };
        Some((new.into(), is_split, format!("{notice}; the old form keeps working in this version")))
    }
}

/// Returns the words of a command line without old options, and a notice for each of these.
pub(crate) fn renew(words: impl IntoIterator<Item = OsString>, options: &[Renamed]) -> (Vec<OsString>, Vec<String>) {
    let mut words = words.into_iter().peekable();
    let mut renewed: Vec<OsString> = words.by_ref().take(2).collect();
    let subcommand = renewed.get(1).cloned();
    let options = options.iter().filter(|option| subcommand.as_ref().is_some_and(|word| word == option.subcommand));
    let mut notices = Vec::new();
    while let Some(word) = words.next() {
        let next = words.peek();
        match options.clone().find_map(|option| option.renew(word.to_str()?, next)) {
            Some((new, is_split, notice)) => {
                renewed.push(new);
                notices.push(notice);
                words.next_if(|_| is_split);
            }
            None if word == "--" => {
                renewed.push(word);
                renewed.extend(words);
                break;
            }
            None => renewed.push(word),
        }
    }
    (renewed, notices)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPTIONS: [Renamed; 4] = [
        Renamed::name("run", "--output", "--out"),
        Renamed::form("run", "--ms", "--ms is now --time", |text| {
            Some(format!("--time={}.5", text.parse::<u32>().ok()?))
        }),
        Renamed::form("run", "--fen", "--fen is now a position alone", |text| Some(text.to_owned())),
        Renamed::name("other", "--x", "--y"),
    ];

    #[test]
    fn old_options_are_renewed_with_a_notice() {
        for (line, renewed, notices) in [
            ("run --output a --x", "run --out a --x", &["--output is now --out"][..]),
            ("run --output=a --outputs --out b", "run --out=a --outputs --out b", &["--output is now --out"]),
            ("run --ms 7 --ms=8 7", "run --time=7.5 --time=8.5 7", &["--ms is now --time", "--ms is now --time"]),
            ("run --ms x --ms", "run --ms x --ms", &[]),
            ("run --fen a b", "run a b", &["--fen is now a position alone"]),
            ("run -- --output a", "run -- --output a", &[]),
            ("--output run", "--output run", &[]),
            ("", "", &[]),
        ] {
            let words = ["program"].into_iter().chain(line.split_whitespace()).map(OsString::from);
            let (words, found) = renew(words, &OPTIONS);
            assert_eq!(words[1..].join(" ".as_ref()), renewed, "{line}");
            let wanted = notices.iter().map(|notice| format!("{notice}; the old form keeps working in this version"));
            assert_eq!(found, wanted.collect::<Vec<_>>(), "{line}");
        }
    }
}
