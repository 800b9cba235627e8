//! The UCI protocol: text to typed commands, typed answers to text.
