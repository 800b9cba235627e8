//! Training data of the tuner.

use sesame_tuner::codec;

/// The bytes are the code of games.
pub fn training_data(bytes: &[u8]) {
    let Ok(games) = codec::decode(bytes, 4) else { return };
    for game in &games {
        game.for_each_training_position(|position, _| assert!(!position.in_check()));
    }
    let code = codec::encode(&games);
    assert!(code.and_then(|code| codec::decode(&code, games.len())) == Ok(games));
}
