// A chess clock with an increment.

const TICK = 100;

export class Clock {
    isRunning = false;
    #left = null;
    #increment = 0;
    #side = "w";
    #since = 0;
    #timer = null;

    constructor(onFlag, onTick) {
        this.onFlag = onFlag;
        this.onTick = onTick;
    }

    /** Seconds for the game and for each move, as in `180+2`; empty for no clock. */
    set(text) {
        this.stop();
        const [base, increment] = text.split("+").map((seconds) => 1000 * Number(seconds));
        this.#left = text ? { w: base, b: base } : null;
        this.#increment = increment;
    }

    start(side) {
        if (this.#left) {
            this.stop();
            [this.isRunning, this.#side, this.#since] = [true, side, performance.now()];
            this.#timer = setInterval(() => this.#tick(), TICK);
        }
    }

    stop() {
        clearInterval(this.#timer);
        if (this.isRunning) {
            this.#left[this.#side] = this.#now(this.#side);
        }
        this.isRunning = false;
    }

    /** The side that has moved presses it. */
    press() {
        this.stop();
        this.#left[this.#side] += this.#increment;
        this.start(this.#side === "w" ? "b" : "w");
    }

    /** What each side has left, to be restored when a move is taken back. */
    get left() {
        return this.#left && { w: this.#now("w"), b: this.#now("b") };
    }

    restore(left) {
        this.stop();
        this.#left = left && { ...left };
    }

    #now(side) {
        const used = this.isRunning && side === this.#side ? performance.now() - this.#since : 0;
        return Math.max(0, this.#left[side] - used);
    }

    #tick() {
        this.onTick();
        if (this.#now(this.#side) === 0) {
            this.onFlag(this.#side);
        }
    }

    /** The clocks for `go`; null without a clock. */
    limits() {
        if (!this.#left) {
            return null;
        }
        const [white, black] = ["w", "b"].map((side) => Math.round(this.#now(side)));
        return `wtime ${white} btime ${black} winc ${this.#increment} binc ${this.#increment}`;
    }

    text(side) {
        if (!this.#left) {
            return "";
        }
        const seconds = this.#now(side) / 1000;
        const rest = seconds < 10 ? (seconds % 60).toFixed(1).padStart(4, "0") : String(Math.floor(seconds % 60)).padStart(2, "0");
        return `${Math.floor(seconds / 60)}:${rest}`;
    }
}
