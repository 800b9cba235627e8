// The engine without threads, for pages that are not isolated: it carries out line after line, and hears nothing meanwhile.
import { system } from "./system.js";

let exports;

function start(module) {
    const write = (lines) => postMessage({ lines });
    const exit = (code) => {
        throw new Error(`the engine has ended with code ${code}`);
    };
    const wasi = system(() => exports.memory, { cores: 1, read: () => 0, write, exit });
    ({ exports } = new WebAssembly.Instance(module, { wasi_snapshot_preview1: wasi }));
    exports._start();
}

function execute(line) {
    const bytes = new TextEncoder().encode(line);
    const start = exports.malloc(bytes.length);
    new Uint8Array(exports.memory.buffer).set(bytes, start);
    const goesOn = exports.execute(start, bytes.length) !== 0;
    exports.free(start);
    postMessage({ goesOn });
}

onmessage = ({ data }) => (data.module ? start(data.module) : execute(data.line));
