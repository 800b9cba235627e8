// What the worker of the page and the engine's threads share: these words, then a ring of input bytes.
export const WRITTEN = 0;
export const READ = 1;
export const OUTPUT_ORDER = 2;
export const CONTROL_WORDS = 4;
export const INPUT_BYTES = 1 << 16;
