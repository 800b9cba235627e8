// The engine's worker, one search at a time.
const BOUNDS = ["lowerbound", "upperbound"];

export class Engine {
    #worker;
    #options = new Map();
    #answers = [];
    #search = Promise.resolve();
    #onInfo = null;
    #calls = 0;

    /** `onMessage` gets what the engine has to say to a person, `onFailure` the error that ended it. */
    constructor(onMessage, onFailure) {
        const say = (text) => (/^(error|bug|there is no position|position not set)\b/.test(text) ? onFailure(text) : onMessage(text));
        this.#worker = new Worker("engine/sesame.js");
        this.#worker.onmessage = ({ data }) => this.#read(data, say);
        this.#worker.onerror = (event) => onFailure(event.message ?? "the engine cannot be loaded");
    }

    send(line) {
        this.#worker.postMessage(line);
    }

    /** Sends `line`, and resolves to the next line that begins with `answer`. */
    ask(line, answer) {
        return new Promise((resolve) => {
            this.#answers.push({ answer, resolve });
            this.send(line);
        });
    }

    /** Sets options. The running search ends first. */
    async configure(options) {
        const changed = Object.entries(options).filter(([name, value]) => this.#options.get(name) !== value);
        if (changed.length > 0) {
            await this.stop();
            changed.forEach(([name, value]) => {
                this.#options.set(name, value);
                this.send(`setoption name ${name} value ${value}`);
            });
            await this.ask("isready", "readyok");
        }
    }

    /** Ends the running search, then searches. Resolves to the best move, or to null without one. */
    async go(position, limits, onInfo) {
        const call = (this.#calls += 1);
        await this.stop();
        if (call !== this.#calls) {
            // A later call has overtaken this one.
            return null;
        }
        this.#onInfo = onInfo;
        this.send(position);
        const best = this.ask(`go ${limits}`, "bestmove").then((line) => line.split(" ")[1]);
        this.#search = best;
        const move = await best;
        return move === "(none)" ? null : move;
    }

    async stop() {
        this.#onInfo = null;
        this.send("stop");
        await this.#search;
    }

    quit() {
        this.send("quit");
    }

    #read(line, onMessage) {
        const index = this.#answers.findIndex(({ answer }) => line.startsWith(answer));
        if (line.startsWith("info string ")) {
            onMessage(line.slice(12));
        } else if (index >= 0) {
            this.#answers.splice(index, 1)[0].resolve(line);
        } else if (line.startsWith("info depth")) {
            this.#onInfo?.(parseInfo(line));
        }
    }
}

/** Parses an `info` line. The score is of the side to move. */
export function parseInfo(line) {
    const words = line.split(" ");
    const number = (name) => Number(words[words.indexOf(name) + 1]);
    const [kind, value] = words.slice(words.indexOf("score") + 1);
    const pv = words.indexOf("pv");
    return {
        depth: number("depth"),
        line: words.includes("multipv") ? number("multipv") : 1,
        score: words.includes("score") ? { [kind]: Number(value) } : null,
        isBound: BOUNDS.some((bound) => words.includes(bound)),
        nodes: number("nodes"),
        nps: number("nps"),
        pv: pv < 0 ? [] : words.slice(pv + 1),
    };
}
