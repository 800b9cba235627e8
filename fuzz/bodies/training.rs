//! Training data of the tuner.

use sesame_tuner::codec;
use sesame_tuner::data::{AppendArgs, DataCommand, run};
use twox_hash::XxHash3_64;

use super::{scratch, write};

/// A block of a store (`crates/tuner/src/store.rs`): its first bytes, the bytes of its header, and where its checksum begins.
const MAGIC: &[u8] = b"SesGame1";
const BLOCK_HEAD: usize = 44;
const CHECKSUM: usize = 36;

/// The first byte selects: the code of four games, a store, or a store whose checksums are corrected.
pub fn training_data(bytes: &[u8]) {
    let (kind, bytes) = bytes.split_first().unwrap_or((&0, &[]));
    match kind % 4 {
        0 => code(bytes),
        1 => store(bytes),
        _ => store(&with_checksums(bytes)),
    }
}

fn code(bytes: &[u8]) {
    let Ok(games) = codec::decode(bytes, 4) else { return };
    for game in &games {
        game.for_each_training_position(|position, _| assert!(!position.in_check()));
    }
    let code = codec::encode(&games);
    assert!(code.and_then(|code| codec::decode(&code, games.len())) == Ok(games));
}

/// The games of an accepted store can be appended to another one, once.
fn store(bytes: &[u8]) {
    let folder = scratch();
    let (path, copy) = (write(&folder, "store", bytes), folder.path().join("copy"));
    if lines(&DataCommand::Check { stores: vec![path.clone()] }).is_none() {
        return;
    }
    let append = DataCommand::Append(AppendArgs { store: copy.clone(), files: vec![path] });
    lines(&append).expect("games of an accepted store");
    let again = lines(&append).expect("a copy");
    assert!(again.contains(": 0 games appended"), "{again}");
    lines(&DataCommand::Check { stores: vec![copy] }).expect("a whole copy");
}

/// Returns the output of a command, `None` after an error.
fn lines(command: &DataCommand) -> Option<String> {
    let mut text = String::new();
    let result = run(command, |line| {
        text.push_str(line);
        true
    });
    result.ok().map(|()| text)
}

fn with_checksums(bytes: &[u8]) -> Vec<u8> {
    let mut file = bytes.to_vec();
    let places = file.windows(MAGIC.len()).enumerate().filter(|(_, bytes)| *bytes == MAGIC);
    for begin in places.map(|(place, _)| place).collect::<Vec<_>>() {
        let block = &mut file[begin..];
        let number = |at: usize| {
            let bytes = block.get(at..at + 4)?;
            Some(u32::from_le_bytes(bytes.try_into().ok()?) as usize)
        };
        let length = number(8).zip(number(12)).map(|(recipe, code)| BLOCK_HEAD + recipe + code);
        let Some(block) = length.and_then(|length| block.get_mut(..length)) else { continue };
        let mut hashed = block[..CHECKSUM].to_vec();
        hashed.extend(&block[BLOCK_HEAD..]);
        block[CHECKSUM..BLOCK_HEAD].copy_from_slice(&XxHash3_64::oneshot(&hashed).to_le_bytes());
    }
    file
}
