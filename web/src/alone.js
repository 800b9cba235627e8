// Drives the engine without threads (single.js). It hears nothing during a search, so a search is stopped by ending its worker: the best
// line so far has the best move, and a new worker goes on with the same options, but with an empty table.

export class Alone {
    #module;
    #give;
    #close;
    #worker;
    #waiting = [];
    #isBusy = false;
    /** Lines that set options, by name, and the last position: for the next worker. */
    #options = new Map();
    #position = [];
    /** The running search: its best move so far, whether it holds the move, the line held, whether it is to stop. */
    #search = null;

    constructor(module, give, close) {
        [this.#module, this.#give, this.#close] = [module, give, close];
        this.#start();
    }

    #start() {
        this.#worker = new Worker(new URL("single.js", location.href));
        this.#worker.onmessage = ({ data }) => this.#read(data);
        this.#worker.onerror = (event) => this.#give(`info string bug: ${event.message}`);
        this.#worker.postMessage({ module: this.#module });
    }

    send(line) {
        const [command] = line.trim().split(/\s+/);
        if (command === "quit") {
            this.#worker.terminate();
            this.#close();
        } else if (!this.#search) {
            this.#waiting.push(line);
            this.#next();
        } else if (command === "isready") {
            this.#give("readyok");
        } else if (command === "stop" || command === "ponderhit") {
            this.#search.isHeld = false;
            this.#search.isStopped = command === "stop";
            this.#end();
        } else {
            this.#waiting.push(line);
            if (["go", "position", "ucinewgame"].includes(command)) {
                // As in the engine with threads, they end the search.
                [this.#search.isHeld, this.#search.isStopped] = [false, true];
                this.#end();
            }
        }
    }

    #next() {
        if (this.#isBusy || this.#waiting.length === 0) {
            return;
        }
        const line = this.#waiting.shift();
        const [command, ...words] = line.trim().split(/\s+/);
        if (command === "setoption") {
            this.#options.set(words.slice(1, words.indexOf("value")).join(" ").toLowerCase(), line);
        } else if (command === "position") {
            this.#position = [line];
        } else if (command === "go" && words[0] !== "perft") {
            this.#search = { isHeld: words.includes("infinite") || words.includes("ponder") };
        }
        this.#post(line);
    }

    #post(line) {
        this.#isBusy = true;
        this.#worker.postMessage({ line });
    }

    #read({ lines = [], goesOn }) {
        for (const line of lines) {
            const move = / pv (\S+)/.exec(line)?.[1];
            if (this.#search && line.startsWith("bestmove")) {
                this.#search.answer = line;
            } else {
                this.#give(line);
                if (this.#search && move && !/ multipv ([2-9]|1\d)/.test(line)) {
                    this.#search.move = move;
                }
            }
        }
        this.#isBusy &&= goesOn === undefined;
        this.#end();
        this.#next();
    }

    /** Ends the search if it may. */
    #end() {
        if (!this.#search || this.#search.isHeld) {
            return;
        }
        const { answer, move, isStopped } = this.#search;
        if (answer && !this.#isBusy) {
            this.#search = null;
            this.#give(answer);
        } else if (isStopped && move && !answer) {
            this.#worker.terminate();
            this.#search = null;
            this.#isBusy = false;
            this.#start();
            this.#waiting.unshift(...this.#options.values(), ...this.#position);
            this.#give(`bestmove ${move}`);
        }
        this.#next();
    }
}
