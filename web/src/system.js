// What the engine asks of a system (WASI, preview 1): time, random bytes, standard input and output. It has no files.
//
// Not @tybys/wasm-util: its clock counts whole milliseconds from the start of each worker, and threads compare their times.
const SUCCESS = 0;
const BAD_DESCRIPTOR = 8;
const NOT_SUPPORTED = 52;
const REALTIME = 0;
const CHARACTER_DEVICE = 2;

/** `read` fills a block of bytes with input and returns their number, `write` takes whole lines, `exit` gets the code and does not return. */
export function system(getMemory, { cores, read, write, exit }) {
    const decoder = new TextDecoder();
    const environment = new TextEncoder().encode(`SESAME_CORES=${cores}\0`);
    let unfinished = "";
    // The memory grows, so views are made anew.
    const view = () => new DataView(getMemory().buffer);
    const bytes = () => new Uint8Array(getMemory().buffer);
    const buffers = (list, count) =>
        Array.from({ length: count }, (_, index) => {
            const at = list + 8 * index;
            return bytes().subarray(view().getUint32(at, true), view().getUint32(at, true) + view().getUint32(at + 4, true));
        });
    // Whole microseconds since 1970: the same for all threads.
    const now = () => BigInt(Math.round((performance.timeOrigin + performance.now()) * 1000)) * 1000n;

    const known = {
        environ_sizes_get(count, size) {
            view().setUint32(count, 1, true);
            view().setUint32(size, environment.length, true);
            return SUCCESS;
        },
        environ_get(list, text) {
            view().setUint32(list, text, true);
            bytes().set(environment, text);
            return SUCCESS;
        },
        clock_time_get(clock, _precision, time) {
            view().setBigUint64(time, clock === REALTIME ? BigInt(Date.now()) * 1_000_000n : now(), true);
            return SUCCESS;
        },
        random_get(start, length) {
            // The browser fills no shared memory.
            bytes().set(crypto.getRandomValues(new Uint8Array(length)), start);
            return SUCCESS;
        },
        sched_yield: () => SUCCESS,
        // A sleep is all that the engine waits for in this way.
        poll_oneoff(subscriptions, events, _count, number) {
            const timeout = view().getBigUint64(subscriptions + 24, true);
            Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(timeout) / 1e6);
            view().setBigUint64(events, view().getBigUint64(subscriptions, true), true);
            view().setUint32(events + 8, 0, true);
            view().setUint32(number, 1, true);
            return SUCCESS;
        },
        fd_fdstat_get(descriptor, state) {
            if (descriptor > 2) {
                return BAD_DESCRIPTOR;
            }
            bytes().fill(0, state, state + 24);
            view().setUint8(state, CHARACTER_DEVICE);
            return SUCCESS;
        },
        // No folder is open.
        fd_prestat_get: () => BAD_DESCRIPTOR,
        fd_read(descriptor, list, count, length) {
            if (descriptor !== 0) {
                return BAD_DESCRIPTOR;
            }
            const [target] = buffers(list, count);
            view().setUint32(length, read(target), true);
            return SUCCESS;
        },
        fd_write(descriptor, list, count, length) {
            const written = buffers(list, count);
            view().setUint32(length, written.reduce((sum, part) => sum + part.length, 0), true);
            unfinished += written.map((part) => decoder.decode(part.slice())).join("");
            const lines = unfinished.split("\n");
            unfinished = lines.pop();
            if (lines.length > 0) {
                write(descriptor === 1 ? lines : lines.map((line) => `info string ${line}`));
            }
            return SUCCESS;
        },
        proc_exit: exit,
    };
    return new Proxy(known, { get: (calls, name) => calls[name] ?? (() => NOT_SUPPORTED) });
}
