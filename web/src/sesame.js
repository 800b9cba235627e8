// The worker that a page starts: `new Worker("sesame.js")`. It speaks UCI, one line a message, in both directions.
//
// The engine runs in workers of its own (thread.js), so that this one never waits: it starts threads, takes lines in and gives lines out.
import { WASIThreads } from "@emnapi/wasi-threads";
import { Alone } from "./alone.js";
import { CONTROL_WORDS, INPUT_BYTES, READ, WRITTEN } from "./control.js";

// 64 KiB each. The engine is linked with the largest; a phone may refuse it.
const MAX_PAGES = [16384, 8192, 4096];
const MIN_PAGES = 64;

// Milliseconds; no event tells of the end of a worker.
const END_OF_THREADS = 1000;

const report = (message) => postMessage(`info string ${message}`);
const early = [];
let send = (line) => early.push(line);

onmessage = ({ data }) => `${data}`.split("\n").forEach((line) => send(line));

const encoder = new TextEncoder();
const waiting = [];
let input;

// Writes what fits into the ring that the engine reads as its standard input.
function pour() {
    const { control, bytes } = input;
    const written = Atomics.load(control, WRITTEN);
    const free = INPUT_BYTES - (written - Atomics.load(control, READ));
    const part = waiting.splice(0, free);
    part.forEach((byte, index) => (bytes[(written + index) % INPUT_BYTES] = byte));
    Atomics.store(control, WRITTEN, written + part.length);
    Atomics.notify(control, WRITTEN);
    if (waiting.length > 0) {
        setTimeout(pour, 5);
    }
}

// Lines of different threads can overtake each other on their way here. Their numbers restore the order in which the engine wrote them.
function inOrder(give) {
    const early = new Map();
    let next = 0;
    return ({ number, lines }) => {
        early.set(number, lines);
        for (; early.has(next); next += 1) {
            early.get(next).forEach(give);
            early.delete(next);
        }
    };
}

function sharedMemory() {
    for (const maximum of MAX_PAGES) {
        try {
            return new WebAssembly.Memory({ initial: MIN_PAGES, maximum, shared: true });
        } catch (error) {
            if (maximum === MAX_PAGES.at(-1)) {
                throw new Error(`this browser gives the engine no memory (${error.message})`);
            }
        }
    }
}

async function load(name) {
    const url = new URL(name, location.href);
    const response = await fetch(url);
    if (!response.ok) {
        throw new Error(`${url} cannot be loaded (${response.status})`);
    }
    return WebAssembly.compileStreaming(response);
}

async function startAlone() {
    report("this page is not isolated (its server sends no COOP and COEP headers): one thread, and a stop empties the table");
    const alone = new Alone(await load("sesame-single.wasm"), (line) => postMessage(line), close);
    return (line) => alone.send(line);
}

async function startThreads() {
    const module = await load("sesame.wasm");
    const memory = sharedMemory();
    const shared = new SharedArrayBuffer(CONTROL_WORDS * 4 + INPUT_BYTES);
    const give = inOrder((line) => postMessage(line));
    const threads = new WASIThreads({
        wasi: { wasiImport: {}, initialize() {}, start: () => 0 },
        reuseWorker: true,
        onCreateWorker: () => new Worker(new URL("thread.js", location.href)),
        beforeLoad(worker) {
            threads.PThread.addMessageEventListener(worker, ({ data }) => {
                if (data.lines) {
                    give(data);
                } else if (data.exit !== undefined) {
                    threads.terminateAllThreads();
                    // Chromium 156 often keeps a worker for good that closes while its own workers still end.
                    setTimeout(close, END_OF_THREADS);
                }
            });
            worker.postMessage({ shared, cores: navigator.hardwareConcurrency ?? 1 });
        },
        printErr: (text) => report(`bug: ${text}`),
    });
    // For a page, or its developer, that wants to know its size.
    globalThis.engineMemory = memory;
    threads.setup({ exports: { memory } }, module, memory);
    threads.PThread.getNewWorker().postMessage({ main: true });
    input = {
        control: new Int32Array(shared, 0, CONTROL_WORDS),
        bytes: new Uint8Array(shared, CONTROL_WORDS * 4),
    };
    return (line) => {
        encoder.encode(`${line}\n`).forEach((byte) => waiting.push(byte));
        pour();
    };
}

async function start() {
    send = await (globalThis.crossOriginIsolated ? startThreads() : startAlone());
    early.forEach(send);
}

start().catch((error) => {
    report(`error: ${error.message}`);
    close();
});
