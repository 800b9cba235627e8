// A game and the position of it that is shown.
import { Chess, validateFen } from "chess.js";

export class Game {
    /** Moves of the game: `san`, `lan` (as in UCI), `before` and `after` (FEN), `from`, `to`. */
    moves = [];
    /** Scores from White's view: of the start, and after each move. */
    scores = [];
    ply = 0;
    /** What a person should know of the text that was read. */
    note = "";
    #headers = {};
    start = new Chess().fen();

    /** Reads a FEN or a PGN. Throws an error for a person to read. */
    static read(text) {
        const trimmed = text.trim();
        const game = new Game();
        const chess = new Chess();
        if (/^([1-8pnbrqk]+\/){7}/i.test(trimmed)) {
            const fields = trimmed.split(/\s+/);
            const fen = [...fields, ..."w - - 0 1".split(" ").slice(fields.length - 1)].slice(0, 6).join(" ");
            const { ok, error } = validateFen(fen);
            if (!ok) {
                throw new Error(`The FEN is wrong: ${error?.replace(/^Invalid FEN: /, "")}`);
            }
            const [pieces, turn, rights] = fen.split(" ");
            if (new Chess(`${pieces} ${turn === "w" ? "b" : "w"} ${rights} - 0 1`).inCheck()) {
                throw new Error("The FEN is wrong: the king of the side that has just moved is in check");
            }
            game.start = fen;
        } else {
            const [first, ...others] = trimmed.split(/\n\s*\n(?=\[)/);
            game.note = others.length > 0 ? `The file has ${others.length + 1} games: this is the first.` : "";
            try {
                chess.loadPgn(first);
            } catch (error) {
                throw new Error(`This is neither a FEN nor a PGN that can be read: ${error.message}`);
            }
            if (chess.history().length === 0 && !trimmed.includes("[")) {
                throw new Error("This is neither a FEN nor a PGN: it has no moves.");
            }
            game.moves = chess.history({ verbose: true });
            game.#headers = Object.fromEntries(Object.entries(chess.getHeaders()).filter(([, value]) => value && !/^[?.]+$/.test(value)));
            game.start = game.#headers.FEN ?? game.start;
        }
        return game;
    }

    /** Returns a game that begins at the position that is shown. */
    branch() {
        const game = new Game();
        game.start = this.fen;
        return game;
    }

    get fen() {
        return this.ply === 0 ? this.start : this.moves[this.ply - 1].after;
    }

    get turn() {
        return this.fen.split(" ")[1];
    }

    /** The side to move after all moves, whatever position is shown. */
    get turnAtEnd() {
        return (this.moves.at(-1)?.after ?? this.start).split(" ")[1];
    }

    /** The position as the engine reads it: with all moves, for repetitions. */
    get uci() {
        return this.uciAt(this.ply);
    }

    uciAt(ply) {
        const moves = this.moves.slice(0, ply).map((move) => move.lan);
        return `position fen ${this.start}${moves.length > 0 ? ` moves ${moves.join(" ")}` : ""}`;
    }

    #replay(ply = this.ply) {
        const chess = new Chess(this.start);
        this.moves.slice(0, ply).forEach((move) => chess.move(move.san));
        return chess;
    }

    legal(square) {
        return new Chess(this.fen).moves({ verbose: true, square });
    }

    /** Plays a move of any notation at the position that is shown. The moves behind it go. Returns false if it is illegal. */
    play(move) {
        try {
            const made = new Chess(this.fen).move(move);
            this.moves = [...this.moves.slice(0, this.ply), made];
            this.scores.length = Math.min(this.scores.length, this.ply + 1);
            delete this.#headers.Result;
            this.ply += 1;
            return true;
        } catch {
            return false;
        }
    }

    truncate(ply) {
        this.moves.length = ply;
        delete this.#headers.Result;
        this.scores.length = Math.min(this.scores.length, ply + 1);
        this.ply = ply;
    }

    /** Returns the end of the game by the rules, or null. */
    get outcome() {
        const chess = this.#replay();
        if (chess.isCheckmate()) {
            return { result: chess.turn() === "w" ? "0-1" : "1-0", reason: "Checkmate" };
        }
        const draws = [
            [chess.isStalemate(), "Stalemate"],
            [chess.isInsufficientMaterial(), "Not enough pieces to mate"],
            [chess.isThreefoldRepetition(), "Draw by repetition"],
            [chess.isDraw(), "Draw by the fifty-move rule"],
        ];
        const draw = draws.find(([is]) => is);
        return draw ? { result: "1/2-1/2", reason: draw[1] } : null;
    }

    /** Principal variation in SAN, with move numbers. Stops at a move that is illegal here. */
    sanOf(pv, fen) {
        const chess = new Chess(fen);
        let number = Number(fen.split(" ")[5]);
        const words = [];
        for (const lan of pv) {
            const turn = chess.turn();
            try {
                const { san } = chess.move({ from: lan.slice(0, 2), to: lan.slice(2, 4), promotion: lan[4] });
                words.push(turn === "w" ? `${number}. ${san}` : words.length === 0 ? `${number}... ${san}` : san);
            } catch {
                break;
            }
            number += turn === "b" ? 1 : 0;
        }
        return words.join(" ");
    }

    /** The tags of a text that was read count before `headers`. */
    pgn(headers) {
        const chess = this.#replay(this.moves.length);
        Object.entries({ ...headers, ...this.#headers }).forEach(([name, value]) => chess.setHeader(name, value));
        return chess.pgn({ maxWidth: 80 });
    }
}
