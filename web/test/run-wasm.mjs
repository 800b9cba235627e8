// Runs a program for wasm32-wasip1-threads, such as the tests of a crate: `node run-wasm.mjs program.wasm [argument ...]`.
//
// Each thread of the program is a worker with an instance of the module over the shared memory. The calls that concern files run
// here, so threads share open files.
import { readFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { WASI } from "node:wasi";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

// 64 KiB each. The target links programs with this maximum.
const MAX_PAGES = 16384;
const MIN_PAGES = 256;
// The exit code of a shell for SIGABRT.
const ABORTED = 134;
const CALLS_OF_A_THREAD = ["clock_time_get", "poll_oneoff", "random_get", "sched_yield"];

// Node 20 only: code of its baseline compiler hangs at the end of `thread::scope`. Node 21 and later are right.
setFlagsFromString("--no-liftoff");
// node:wasi is experimental, and says so in each worker.
process.removeAllListeners("warning");

function systemOf(memory, options) {
    const wasi = new WASI({ version: "preview1", ...options });
    wasi.initialize({ exports: { memory } });
    return wasi.wasiImport;
}

if (isMainThread) {
    const [, , path, ...rest] = process.argv;
    const module = new WebAssembly.Module(readFileSync(path));
    const memory = new WebAssembly.Memory({ initial: MIN_PAGES, maximum: MAX_PAGES, shared: true });
    const system = systemOf(memory, { args: [path, ...rest], env: process.env, preopens: { "/": "/" } });
    let threads = 0;
    const start = (thread, argument) => {
        const worker = new Worker(new URL(import.meta.url), { workerData: { module, memory, thread, argument } });
        worker.on("message", ({ name, values, reply }) => {
            Atomics.store(reply, 1, calls[name](...values));
            Atomics.store(reply, 0, 1);
            Atomics.notify(reply, 0);
        });
        worker.on("error", (error) => {
            console.error(error);
            process.exit(ABORTED);
        });
        return thread;
    };
    const calls = {
        ...system,
        proc_exit: (code) => process.exit(code),
        "thread-spawn": (argument) => start((threads += 1), argument),
    };
    start(0);
} else {
    const { module, memory, thread, argument } = workerData;
    const system = systemOf(memory);
    const reply = new Int32Array(new SharedArrayBuffer(8));
    const call = (name) => (...values) => {
        Atomics.store(reply, 0, 0);
        parentPort.postMessage({ name, values, reply });
        // The notification of the call before can come only now.
        while (Atomics.load(reply, 0) === 0) {
            Atomics.wait(reply, 0, 0);
        }
        return Atomics.load(reply, 1);
    };
    const { exports } = new WebAssembly.Instance(module, {
        env: { memory },
        wasi: { "thread-spawn": call("thread-spawn") },
        wasi_snapshot_preview1: new Proxy(system, {
            get: (calls, name) => (CALLS_OF_A_THREAD.includes(name) ? calls[name] : call(name)),
        }),
    });
    if (thread === 0) {
        exports._start();
        call("proc_exit")(0);
    } else {
        exports.wasi_thread_start(thread, argument);
    }
}
