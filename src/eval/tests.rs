//! Properties of any network: equal values of all kernels and updates, file checks, overflow checks.

use std::sync::Arc;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::*;
use crate::position::tests::random_games;
use crate::position::{Color, File, Piece, Position};

/// Random weights of the magnitude of trained ones.
pub(crate) fn random_weights(seed: u64) -> Weights {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut numbers = |count: usize, limit: i32| -> Vec<i16> {
        (0..count).map(|_| (random.next_u32() % (2 * limit as u32 + 1)) as i16 - limit as i16).collect()
    };
    Weights {
        features: numbers(INPUTS * HIDDEN, 100),
        biases: numbers(HIDDEN, 200),
        // Small enough for the limit of the sum, and for most values to be within `VALUE_LIMIT`.
        output: numbers(OUTPUT_BUCKETS * 2 * HIDDEN, 60),
        output_biases: numbers(OUTPUT_BUCKETS, 9_000),
        scale: 400,
    }
}

fn with_each_simd(weights: &Weights) -> Vec<Arc<Network>> {
    Simd::available().map(|simd| Arc::new(Network::new(weights).unwrap().with_simd(simd).unwrap())).collect()
}

#[test]
fn kernels_agree_with_the_reference() {
    let weights = random_weights(1);
    let networks = with_each_simd(&weights);
    let mut values = std::collections::HashSet::new();
    random_games(1994, 30, |position, _| {
        if position.in_check() {
            return;
        }
        let wanted = by_reference(&weights, position);
        values.insert(wanted);
        for network in &networks {
            assert_eq!(network.evaluate(position), wanted, "{network:?} in {position}");
        }
    });
    assert!(values.len() > 1_000, "{} different values", values.len());
}

/// A scalar reference implementation of the network.
fn by_reference(weights: &Weights, position: &Position) -> i32 {
    let accumulator = |player: Color| {
        let mirror = if position.king(player).file() > File::D { 7 } else { 0 };
        let flip = if player == Color::Black { 56 } else { 0 };
        let mut sums: Vec<i32> = weights.biases.iter().map(|&bias| bias.into()).collect();
        for square in position.occupied() {
            let color = if position.color_on(square) == Some(player) { 0 } else { 384 };
            let row = color + 64 * position.piece_on(square).unwrap() as usize + (square as usize ^ flip ^ mirror);
            for (sum, &weight) in sums.iter_mut().zip(&weights.features[row * HIDDEN..]) {
                *sum += i32::from(weight);
            }
        }
        sums
    };
    let us = position.side_to_move();
    let bucket = (position.occupied().len() as usize - 2) / 4;
    let values = [accumulator(us), accumulator(!us)].concat();
    let sum: i64 = values
        .iter()
        .zip(&weights.output[bucket * 2 * HIDDEN..])
        .map(|(&value, &weight)| i64::from(value.clamp(0, 255)).pow(2) * i64::from(weight))
        .sum();
    ((sum / 255 + i64::from(weights.output_biases[bucket])) * i64::from(weights.scale) / (255 * 64)) as i32
}

/// Walks a random tree like a search and compares some evaluations with those from scratch.
fn walk(
    accumulators: &mut Accumulators,
    position: &Position,
    ply: usize,
    random: &mut Xoshiro256PlusPlus,
    seen: &mut [u32; 6],
) {
    if !position.in_check() && !random.next_u32().is_multiple_of(3) {
        let wanted = accumulators.network().evaluate(position);
        assert_eq!(accumulators.evaluate(position, ply), wanted, "ply {ply} of {position}");
        seen[0] += 1;
    }
    if ply >= 24 {
        return;
    }
    // Mostly one move per node, sometimes two.
    for _ in 0..1 + u32::from(random.next_u32().is_multiple_of(5)) {
        let moves = position.legal_moves();
        let Some(&mv) = moves.get(random.next_u32() as usize % moves.len().max(1)) else { return };
        seen[1] += u32::from(position.is_castling(mv));
        seen[2] += u32::from(position.is_en_passant(mv));
        seen[3] += u32::from(mv.promotion().is_some());
        seen[4] += u32::from(position.moved(mv) == Piece::King);
        let mut child = position.clone();
        if random.next_u32().is_multiple_of(20) && !position.in_check() {
            child.play_null();
            seen[5] += 1;
        } else {
            child.play(mv);
        }
        walk(accumulators, &child, ply + 1, random, seen);
    }
}

#[test]
fn incremental_updates_are_exact_in_random_trees() {
    let weights = random_weights(2);
    for network in with_each_simd(&weights) {
        let mut accumulators = Accumulators::new(network, 20);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(3);
        let mut seen = [0; 6];
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/Pk3p1P/8/2pPp3/4K3/8/p1P3p1/8 w - c6 0 1",
            "r1b1k1r1/8/8/pPpPpP2/8/8/1PP1P1PP/R2K3R w AHag c6 0 1",
        ] {
            let position = Position::from_fen(fen).unwrap();
            for _ in 0..30 {
                walk(&mut accumulators, &position, 0, &mut random, &mut seen);
            }
        }
        for number in 0..20 {
            walk(&mut accumulators, &Position::chess960(48 * number), 0, &mut random, &mut seen);
        }
        assert!(seen.iter().all(|&count| count > 10), "evaluations, castling, en passant, ... : {seen:?}");
    }
}

/// Sets the checksum of a file's header.
fn seal(bytes: &mut [u8]) {
    let sum = twox_hash::XxHash3_64::oneshot(&bytes[..40]);
    bytes[40..48].copy_from_slice(&sum.to_le_bytes());
}

#[test]
fn invalid_files_are_refused() {
    let weights = random_weights(5);
    let bytes = weights.to_bytes();
    assert_eq!(Weights::from_bytes(&bytes), Ok(weights.clone()));
    assert_eq!(Network::from_bytes(&bytes).unwrap().hash(), weights.hash());

    let problem = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut changed = bytes.clone();
        change(&mut changed);
        seal(&mut changed);
        Network::from_bytes(&changed).unwrap_err()
    };
    assert_eq!(Network::from_bytes(&bytes[..10]), Err(NetworkFormatError::Magic));
    assert_eq!(problem(&|bytes| bytes[0] = b'X'), NetworkFormatError::Magic);
    assert_eq!(problem(&|bytes| bytes[8] = 9), NetworkFormatError::Version(9));
    assert!(matches!(problem(&|bytes| bytes[14] ^= 64), NetworkFormatError::Architecture(_)));
    assert!(matches!(problem(&|bytes| bytes[24] = 1), NetworkFormatError::Architecture(_)));
    assert_eq!(problem(&|bytes| bytes[22..24].fill(0)), NetworkFormatError::Scale(0));
    assert!(matches!(problem(&|bytes| bytes.truncate(bytes.len() - 1)), NetworkFormatError::Length { .. }));
    assert!(matches!(problem(&|bytes| bytes.push(0)), NetworkFormatError::Length { .. }));
    for at in [64, 5_000, bytes.len() - 1] {
        assert!(matches!(problem(&|bytes| bytes[at] ^= 16), NetworkFormatError::Checksum { .. }));
    }
    let path = std::env::temp_dir().join("sesame-no-such-network");
    assert!(matches!(Network::read(&path), Err(NetworkError::File { .. })));
}

#[test]
fn damaged_headers_are_refused() {
    let weights = random_weights(8);
    let bytes = weights.to_bytes();
    let flipped = |bytes: &[u8], bit: usize| {
        let mut changed = bytes.to_vec();
        changed[bit / 8] ^= 1 << (bit % 8);
        Weights::from_bytes(&changed)
    };
    for bit in 0..8 * 64 {
        let found = flipped(&bytes, bit);
        match bit / 8 {
            0..8 => assert_eq!(found, Err(NetworkFormatError::Magic)),
            8..12 => assert!(matches!(found, Err(NetworkFormatError::Version(_))), "{bit}"),
            12..48 => assert_eq!(found, Err(NetworkFormatError::HeaderChecksum), "{bit}"),
            // Ignored bytes.
            _ => assert_eq!(found.as_ref(), Ok(&weights), "{bit}"),
        }
    }
    // Without a checksum of the header, a changed scale is not detected.
    let mut old = bytes.clone();
    old[40..48].fill(0);
    assert_eq!(Weights::from_bytes(&old).as_ref(), Ok(&weights));
    assert!(flipped(&old, 8 * 14).is_err() && flipped(&old, 8 * 32).is_err());
    let other = flipped(&old, 8 * 22).unwrap();
    assert_eq!((other.scale, other.hash()), (weights.scale ^ 1, weights.hash()));
    let network = Network::new(&weights).unwrap();
    assert!(network == network.with_simd(Simd::Plain).unwrap() && network != Network::new(&other).unwrap());
}

#[test]
fn smaller_networks_are_padded() {
    const FEW: usize = HIDDEN / 2;
    let mut weights = random_weights(9);
    let rows = [&mut weights.features, &mut weights.biases, &mut weights.output];
    let mut narrow = Vec::new();
    for row in rows.into_iter().flat_map(|numbers| numbers.chunks_mut(HIDDEN)) {
        row[FEW..].fill(0);
        narrow.extend(row[..FEW].iter().flat_map(|number| number.to_le_bytes()));
    }
    narrow.extend(weights.output_biases.iter().flat_map(|number| number.to_le_bytes()));
    let mut bytes = weights.to_bytes()[..64].to_vec();
    bytes[14..16].copy_from_slice(&(FEW as u16).to_le_bytes());
    let hash = twox_hash::XxHash3_64::oneshot(&narrow);
    bytes[32..40].copy_from_slice(&hash.to_le_bytes());
    bytes.extend(narrow);
    seal(&mut bytes);
    assert_eq!(Weights::from_bytes(&bytes), Ok(weights.clone()));
    assert_eq!(Network::from_bytes(&bytes).unwrap().hash(), hash);
    assert!(matches!(Weights::from_bytes(&bytes[..bytes.len() - 2]), Err(NetworkFormatError::Length { .. })));
    for neurons in [0, HIDDEN as u16 + 64] {
        bytes[14..16].copy_from_slice(&neurons.to_le_bytes());
        seal(&mut bytes);
        assert!(matches!(Weights::from_bytes(&bytes), Err(NetworkFormatError::Architecture(_))));
    }
}

#[test]
fn weights_that_could_overflow_are_refused() {
    // The largest accepted sum of output weights. One more is too large though no weight is.
    let most = OUTPUT_WEIGHT_LIMIT.min(OUTPUT_SUM_LIMIT / HIDDEN as i32) as i16;
    let result = |change: fn(&mut Weights, i16)| {
        let mut weights = random_weights(6);
        change(&mut weights, most);
        Network::new(&weights).map(drop)
    };
    let overflow = Err(NetworkFormatError::Overflow);
    assert_eq!(result(|weights, _| weights.features[7 * HIDDEN] = 1_100), overflow);
    assert_eq!(result(|weights, _| weights.output[3] = 129), overflow);
    assert_eq!(result(|weights, most| weights.output[..HIDDEN].fill(most + 1)), overflow);
    assert_eq!(result(|weights, most| weights.output[..HIDDEN].fill(most)), Ok(()));
    let largest = Weights {
        features: vec![1_000; INPUTS * HIDDEN],
        biases: vec![700; HIDDEN],
        output: vec![most; OUTPUT_BUCKETS * 2 * HIDDEN],
        output_biases: vec![32_767; OUTPUT_BUCKETS],
        scale: 4_000,
    };
    for network in with_each_simd(&largest) {
        assert_eq!(network.evaluate(&Position::startpos()), VALUE_LIMIT - 1);
    }
}

#[test]
fn embedded_network_matches_its_recipe() {
    let recipe = include_str!("../../networks/sesame.recipe");
    let network = Network::embedded();
    assert!(recipe.contains(&format!("network {:016x}\n", network.hash())), "{recipe}");
    assert!(recipe.contains(&format!("{HIDDEN} neurons")), "{recipe}");
    assert!(Arc::ptr_eq(&network, &Network::embedded()));
    let bytes = include_bytes!("../../networks/sesame.nnue");
    assert!(Weights::from_bytes(bytes).unwrap().to_bytes() == bytes, "the checksum of the header");
}
