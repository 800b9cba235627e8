// A thread of the engine: an instance of the module over the shared memory. One of them runs `main`.
import { ThreadMessageHandler, WASIThreads } from "@emnapi/wasi-threads";
import { CONTROL_WORDS, INPUT_BYTES, OUTPUT_ORDER, READ, WRITTEN } from "./control.js";
import { system } from "./system.js";

let settings;
const handler = new ThreadMessageHandler({
    onLoad({ wasmModule: module, wasmMemory: memory }) {
        const wasi = { wasiImport: system(() => memory, settings), initialize() {}, start: () => 0 };
        const threads = new WASIThreads({ wasi, childThread: true });
        const instance = new WebAssembly.Instance(module, {
            env: { memory },
            wasi_snapshot_preview1: wasi.wasiImport,
            ...threads.getImportObject(),
        });
        threads.setup(instance, module, memory);
        return { module, instance };
    },
});

function connect({ shared, cores }) {
    const control = new Int32Array(shared, 0, CONTROL_WORDS);
    const input = new Uint8Array(shared, CONTROL_WORDS * 4);
    return {
        cores,
        read(target) {
            const read = Atomics.load(control, READ);
            // A notification can be that of input read before. No bytes would be the end of the input.
            while (Atomics.load(control, WRITTEN) === read) {
                Atomics.wait(control, WRITTEN, read);
            }
            const count = Math.min(Atomics.load(control, WRITTEN) - read, target.length);
            for (let index = 0; index < count; index += 1) {
                target[index] = input[(read + index) % INPUT_BYTES];
            }
            Atomics.store(control, READ, read + count);
            return count;
        },
        // The engine writes under a lock, so the order of the numbers is that of the lines.
        write: (lines) => postMessage({ number: Atomics.add(control, OUTPUT_ORDER, 1), lines }),
        exit(code) {
            postMessage({ exit: code });
            // Nothing may run behind it. The worker is being terminated.
            Atomics.wait(control, CONTROL_WORDS - 1, 0);
        },
    };
}

onmessage = (event) => {
    if (event.data.shared) {
        settings = connect(event.data);
    } else if (event.data.main) {
        handler.instance.exports._start();
        settings.exit(0);
    } else {
        handler.handle(event);
    }
};
