//! Training data of the tuner.

use sesame_tuner::game_record::{GameReader as Games, GameRecord as Record};

/// The bytes are a file of games.
pub fn training_data(bytes: &[u8]) {
    let mut games = Games::new(bytes);
    let mut length = 0;
    for game in games.by_ref() {
        // Reading from memory cannot fail, but a game may be too long.
        let Ok(game) = game else { break };
        length += game.len();
        let Ok(record) = Record::from_bytes(&game) else { continue };
        record.for_each_training_position(|position, _| assert!(!position.in_check()));
        assert_eq!(Record::from_bytes(&record.to_bytes()).as_ref(), Ok(&record));
    }
    assert!(length <= bytes.len() && games.length() == length as u64);
    // The whole input as one game.
    let _ = Record::from_bytes(bytes);
}
