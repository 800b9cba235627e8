// A thread of the engine: an instance of the module over the shared memory. One of them runs `main`.
import { ThreadMessageHandler, WASIThreads } from "@emnapi/wasi-threads";
import { system } from "./system.js";

let settings;
const handler = new ThreadMessageHandler({
    onLoad({ wasmModule: module, wasmMemory: memory }) {
        const wasi = { wasiImport: system(memory, settings), initialize() {}, start: () => 0 };
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

onmessage = (event) => {
    if (event.data.shared) {
        settings = event.data;
    } else if (event.data.main) {
        run(handler.instance);
    } else {
        handler.handle(event);
    }
};

function run(instance) {
    instance.exports._start();
    postMessage({ exit: 0 });
}
