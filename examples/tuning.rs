//! Temporary driver.
use clap::Parser;
#[derive(Parser)]
enum Cmd {
    Datagen(sesame::tuning::DatagenArgs),
    Tune(sesame::tuning::TuneArgs),
    Prior,
}
fn main() {
    match Cmd::parse() {
        Cmd::Datagen(a) => sesame::tuning::selfplay::run(&a).unwrap(),
        Cmd::Tune(a) => sesame::tuning::texel::run(&a).unwrap(),
        Cmd::Prior => print!(
            "{}",
            sesame::tuning::render(&sesame::tuning::prior(), "Untuned: the first guesses of `tuning::prior`.")
        ),
    }
}
