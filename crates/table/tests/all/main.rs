//! Tests of the table from outside: behaviour, a reference, stress, and models under loom and shuttle.

mod behaviour;
mod loom;
mod models;
mod payload;
mod reference;
mod shuttle;
mod stress;
