import { COLOR, Chessboard, INPUT_EVENT_TYPE } from "cm-chessboard/src/Chessboard.js";
import { Accessibility } from "cm-chessboard/src/extensions/accessibility/Accessibility.js";
import { Arrows, ARROW_TYPE } from "cm-chessboard/src/extensions/arrows/Arrows.js";
import { MARKER_TYPE, Markers } from "cm-chessboard/src/extensions/markers/Markers.js";
import { PROMOTION_DIALOG_RESULT_TYPE, PromotionDialog } from "cm-chessboard/src/extensions/promotion-dialog/PromotionDialog.js";
import { Clock } from "./clock.js";
import { Engine } from "./engine.js";
import { Game } from "./game.js";
import * as score from "./score.js";

const LEVELS = [1320, 1400, 1500, 1600, 1700, 1800, 1900, 2000, 2100, 2200, 2300, 2400, 2500, 2600, 2700];
const FULL_STRENGTH = { UCI_LimitStrength: false };
/** Milliseconds for a move of the engine without a clock, and for a position when a game is evaluated. */
const MOVE_TIME = 1000;
const EVALUATION_TIME = 200;
const MAX_WAIT_FOR_SERVICE = 5000;

const byId = (id) => document.getElementById(id);
const on = (id, event, action) => byId(id).addEventListener(event, (what) => {
    what.preventDefault();
    Promise.resolve(action(what)).catch(fail);
});

let game = new Game();
/** The game against the engine: the engine's colour, and the result once it is over. Null while analysing. */
let match = null;
let isAnalysing = false;
let isEvaluating = false;
let lines = [];
const clock = new Clock((side) => finish(side === "w" ? "0-1" : "1-0", `${sideName(side)} has no time left`), showClocks);
const engine = new Engine((message) => say(message), fail);
const board = new Chessboard(byId("board"), {
    assetsUrl: "board/",
    position: game.fen,
    style: { animationDuration: matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 150 },
    extensions: [
        { class: Markers, props: { autoMarkers: MARKER_TYPE.frame } },
        { class: Arrows },
        { class: PromotionDialog },
        { class: Accessibility, props: { visuallyHidden: true, movePieceForm: false, piecesAsList: true, keyboardMoveInput: true } },
    ],
});

function say(text) {
    byId("engine").textContent = text;
}

function fail(error) {
    const text = typeof error === "string" ? error : error.message;
    byId("failure").hidden = false;
    byId("failure").textContent = `${text}`;
}

const sideName = (side) => (side === "w" ? "White" : "Black");
const engineName = () => `Sesame ${match?.level || "at full strength"}`;

// --- What is shown ---

function show() {
    board.setPosition(game.fen, true);
    board.removeMarkers();
    board.removeArrows();
    const played = game.moves[game.ply - 1];
    if (played) {
        [played.from, played.to].forEach((square) => board.addMarker(MARKER_TYPE.square, square));
    }
    const outcome = match?.outcome ?? game.outcome;
    byId("status").textContent = outcome ? `${outcome.reason}: ${outcome.result}` : `${sideName(game.turn)} to move`;
    showMoves();
    showScore(game.scores[game.ply]);
    byId("curve").innerHTML = game.scores.filter(Boolean).length > 1 ? score.curve(game.scores, game.ply) : "";
    [["first", 0], ["back", 0], ["forward", game.moves.length], ["last", game.moves.length]].forEach(
        ([id, end]) => (byId(id).disabled = game.ply === end),
    );
    byId("undo").disabled = game.moves.length === 0;
    const isPlaying = Boolean(match && !match.outcome);
    byId("resign").disabled = !isPlaying;
    byId("evaluate").disabled = isPlaying || isEvaluating;
    const bottom = board.getOrientation() === COLOR.white ? "w" : "b";
    [["bottom", bottom], ["top", bottom === "w" ? "b" : "w"]].forEach(([place, side]) => {
        byId(`name-${place}`).textContent = match ? (side === match.engine ? engineName() : "You") : sideName(side);
    });
    byId("bar").classList.toggle("flipped", bottom === "b");
    showClocks();
}

function showMoves() {
    const hadFocus = byId("moves").contains(document.activeElement);
    const first = Number(game.start.split(" ")[5]);
    const shift = game.start.split(" ")[1] === "w" ? 0 : 1;
    byId("moves").replaceChildren(
        ...game.moves.map((move, index) => {
            const item = document.createElement("li");
            if (move.color === "w" || index === 0) {
                item.className = "number";
                item.dataset.number = `${first + Math.floor((index + shift) / 2)}${move.color === "w" ? "." : "..."}`;
            }
            const button = document.createElement("button");
            button.textContent = move.san;
            button.ariaCurrent = String(index + 1 === game.ply);
            button.onclick = () => goTo(index + 1);
            item.append(button);
            return item;
        }),
    );
    const current = byId("moves").querySelector("[aria-current=true]");
    current?.scrollIntoView({ block: "nearest" });
    if (hadFocus) {
        current?.focus();
    }
}

function showScore(value) {
    const percent = value ? 100 * score.chance(value) : 50;
    byId("bar").querySelector("div").style.height = `${percent}%`;
    byId("bar").querySelector("span").textContent = score.text(value);
    byId("bar").ariaLabel = value ? `Evaluation ${score.text(value)} from White's view` : "No evaluation yet";
}

function showClocks() {
    const bottom = board.getOrientation() === COLOR.white ? "w" : "b";
    byId("clock-bottom").textContent = clock.text(bottom);
    byId("clock-top").textContent = clock.text(bottom === "w" ? "b" : "w");
}

function showLines(fen) {
    byId("pvs").replaceChildren(
        ...lines.filter(Boolean).map((info) => {
            const item = document.createElement("li");
            const value = document.createElement("b");
            value.textContent = score.text(info.white);
            item.append(value, ` ${game.sanOf(info.pv, fen)}`);
            item.title = item.textContent;
            return item;
        }),
    );
}

// --- Moves ---

board.enableMoveInput((event) => {
    const mayMove = !match || (!match.outcome && game.turnAtEnd !== match.engine && game.ply === game.moves.length);
    if (event.type === INPUT_EVENT_TYPE.moveInputStarted) {
        const targets = mayMove ? game.legal(event.squareFrom) : [];
        targets.forEach(({ to, captured }) => board.addMarker(captured ? MARKER_TYPE.bevel : MARKER_TYPE.dot, to));
        return targets.length > 0;
    }
    if (event.type === INPUT_EVENT_TYPE.validateMoveInput) {
        const found = game.legal(event.squareFrom).filter(({ to }) => to === event.squareTo);
        if (found.some(({ promotion }) => promotion)) {
            const { fen } = game;
            board.showPromotionDialog(event.squareTo, game.turn, ({ type, piece }) => {
                const is = type === PROMOTION_DIALOG_RESULT_TYPE.pieceSelected && fen === game.fen;
                play(is ? { from: event.squareFrom, to: event.squareTo, promotion: piece[1] } : null);
            });
        } else if (found.length > 0) {
            // Once the board has finished with the input.
            setTimeout(() => play(found[0].san));
        }
        return found.length > 0;
    }
    if (event.type === INPUT_EVENT_TYPE.moveInputFinished || event.type === INPUT_EVENT_TYPE.moveInputCanceled) {
        board.removeMarkers(MARKER_TYPE.dot);
        board.removeMarkers(MARKER_TYPE.bevel);
    }
    return true;
});

/** Plays a person's move. Returns false if it is illegal or not their turn. */
function play(move) {
    const isTurn = !match || (!match.outcome && game.turnAtEnd !== match.engine);
    if (match) {
        game.ply = game.moves.length;
    }
    const isPlayed = move !== null && isTurn && game.play(move);
    show();
    if (isPlayed) {
        moved().catch(fail);
    }
    return isPlayed;
}

/** Goes on after a move: the engine answers or analyses. */
async function moved() {
    if (!match) {
        return isAnalysing ? analyse() : undefined;
    }
    if (clock.isRunning) {
        clock.press();
    }
    match.clocks[game.moves.length] = clock.left;
    if (game.outcome) {
        finish(game.outcome.result, game.outcome.reason);
    } else if (game.turnAtEnd === match.engine) {
        await answer();
    }
}

async function answer() {
    const asked = game;
    const limits = clock.limits() ?? `movetime ${MOVE_TIME}`;
    const turn = game.turnAtEnd;
    let last = null;
    const best = await engine.go(game.uciAt(game.moves.length), limits, (info) => {
        if (info.score) {
            last = score.forWhite(info.score, turn);
        }
    });
    if (best && asked === game && match && !match.outcome && game.turnAtEnd === match.engine) {
        game.ply = game.moves.length;
        game.play({ from: best.slice(0, 2), to: best.slice(2, 4), promotion: best[4] });
        game.scores[game.ply] = last;
        show();
        await moved();
    }
}

function finish(result, reason) {
    clock.stop();
    match.outcome = { result, reason };
    engine.stop().catch(fail);
    show();
}

async function goTo(ply) {
    game.ply = Math.max(0, Math.min(ply, game.moves.length));
    show();
    if (isAnalysing) {
        await analyse();
    }
}

// --- A game against the engine ---

async function newGame() {
    await setAnalysing(false);
    await engine.stop();
    const side = byId("side").value === "r" ? "wb"[Math.floor(Math.random() * 2)] : byId("side").value;
    const level = byId("level").value;
    await engine.configure({ MultiPV: 1, ...(level ? { UCI_LimitStrength: true, UCI_Elo: level } : FULL_STRENGTH) });
    engine.send("ucinewgame");
    await board.setOrientation(side);
    // No wait from here on: a person's move in between would have the engine asked twice.
    game = byId("here").checked ? game.branch() : new Game();
    match = { engine: side === "w" ? "b" : "w", level, outcome: null, clocks: [] };
    clock.set(byId("time").value);
    match.clocks[0] = clock.left;
    clear();
    show();
    if (game.outcome) {
        finish(game.outcome.result, game.outcome.reason);
        return;
    }
    clock.start(game.turn);
    if (game.turn === match.engine) {
        await answer();
    }
}

async function undo() {
    if (match) {
        await engine.stop();
        match.outcome = null;
        const own = game.turnAtEnd !== match.engine ? 2 : 1;
        game.truncate(Math.max(game.moves.length - own, 0));
        clock.restore(match.clocks[game.ply]);
        clock.start(game.turn);
        show();
        if (game.turn === match.engine) {
            await answer();
        }
    } else {
        game.truncate(Math.max(game.ply - 1, 0));
        show();
        await moved();
    }
}

// --- Analysis ---

async function setAnalysing(wanted) {
    isAnalysing = wanted;
    byId("run").setAttribute("aria-pressed", String(wanted));
    byId("run").textContent = wanted ? "Stop" : "Start";
    if (wanted) {
        await analyse();
    } else {
        await engine.stop();
    }
}

async function analyse() {
    const { uci, fen, turn, ply, outcome } = game;
    const asked = game;
    lines = [];
    await engine.configure({ ...FULL_STRENGTH, ...settings(), MultiPV: byId("lines").value });
    if (outcome) {
        await engine.stop();
    }
    if (!isAnalysing || game !== asked || game.ply !== ply || outcome) {
        clear();
        return;
    }
    await engine.go(uci, "infinite", (info) => {
        if (!info.score || info.isBound) {
            return;
        }
        const white = score.forWhite(info.score, turn);
        lines[info.line - 1] = { ...info, white };
        byId("figures").textContent = `depth ${info.depth}, ${info.nodes.toLocaleString()} nodes, ${info.nps.toLocaleString()} a second`;
        if (info.line === 1) {
            game.scores[ply] = white;
            showScore(white);
            board.removeArrows();
            board.addArrow(ARROW_TYPE.default, info.pv[0].slice(0, 2), info.pv[0].slice(2, 4));
        }
        showLines(fen);
    });
}

const settings = () => ({ Threads: byId("threads").value, Hash: byId("hash").value });

/** Searches every position of the game for a moment. */
async function evaluate() {
    isEvaluating = true;
    await setAnalysing(false);
    await engine.configure({ ...FULL_STRENGTH, ...settings(), MultiPV: 1 });
    const asked = game;
    const { ply } = game;
    for (let at = 0; at <= asked.moves.length && asked === game && !isAnalysing; at += 1) {
        const turn = at % 2 === 0 ? game.start.split(" ")[1] : game.start.split(" ")[1] === "w" ? "b" : "w";
        byId("figures").textContent = `evaluating position ${at + 1} of ${game.moves.length + 1}`;
        await engine.go(game.uciAt(at), `movetime ${EVALUATION_TIME}`, (info) => {
            if (info.score && !info.isBound) {
                asked.scores[at] = score.forWhite(info.score, turn);
            }
        });
        show();
    }
    isEvaluating = false;
    byId("figures").textContent = "";
    show();
    if (asked === game && !isAnalysing) {
        await goTo(ply);
    }
}

// --- Texts, files, links ---

/** Removes what was said of another position. */
function clear() {
    lines = [];
    byId("pvs").replaceChildren();
    byId("figures").textContent = "";
    byId("failure").hidden = true;
}

async function load(text) {
    const read = Game.read(text);
    await engine.stop();
    [match, game] = [null, read];
    clock.stop();
    clear();
    show();
    if (read.note) {
        say(read.note);
    }
    await moved();
}

function save() {
    const players = match ? { [match.engine === "w" ? "White" : "Black"]: engineName(), [match.engine === "w" ? "Black" : "White"]: "You" } : {};
    const date = new Date().toISOString().slice(0, 10).replaceAll("-", ".");
    const result = match?.outcome?.result ?? game.outcome?.result;
    const pgn = game.pgn({ Event: "Sesame in the browser", Date: date, ...players, ...(result ? { Result: result } : {}) });
    byId("text").value = pgn;
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([`${pgn}\n`], { type: "application/x-chess-pgn" }));
    link.download = "sesame.pgn";
    link.click();
    URL.revokeObjectURL(link.href);
}

async function copyLink() {
    // No event, which would load the position anew.
    history.replaceState(null, "", `#fen=${game.fen.replaceAll(" ", "_")}`);
    byId("text").value = location.href;
    await navigator.clipboard?.writeText(location.href).catch(() => {});
}

const linked = () => {
    const fen = new URLSearchParams(location.hash.slice(1)).get("fen");
    return fen ? load(fen.replaceAll("_", " ")) : Promise.resolve();
};

function choose(tab) {
    ["play", "analyse"].forEach((name) => {
        byId(name).hidden = name !== tab;
        byId(`tab-${name}`).ariaSelected = String(name === tab);
    });
}

on("tab-play", "click", () => choose("play"));
on("tab-analyse", "click", () => choose("analyse"));
on("play", "submit", newGame);
on("resign", "click", () => finish(match.engine === "w" ? "1-0" : "0-1", "You resigned"));
on("undo", "click", undo);
on("first", "click", () => goTo(0));
on("back", "click", () => goTo(game.ply - 1));
on("forward", "click", () => goTo(game.ply + 1));
on("last", "click", () => goTo(game.moves.length));
on("flip", "click", async () => {
    await board.setOrientation(board.getOrientation() === COLOR.white ? COLOR.black : COLOR.white);
    show();
});
on("entry", "submit", () => {
    const text = byId("move").value.trim();
    const lan = /^([a-h][1-8])([a-h][1-8])([nbrq]?)$/.exec(text);
    const isPlayed = play(lan ? { from: lan[1], to: lan[2], promotion: lan[3] || undefined } : text);
    byId("move").value = isPlayed ? "" : text;
    byId("status").textContent = isPlayed ? byId("status").textContent : `${text || "Nothing"} is not a legal move here`;
});
on("run", "click", async () => {
    match = isAnalysing ? match : null;
    clock.stop();
    await setAnalysing(!isAnalysing);
});
["lines", "threads", "hash"].forEach((id) => on(id, "change", () => (isAnalysing ? analyse() : undefined)));
on("evaluate", "click", evaluate);
on("curve", "click", (event) => goTo(Math.round((event.offsetX / byId("curve").clientWidth) * (game.scores.length - 1))));
on("import", "submit", () => load(byId("text").value));
on("open", "click", () => byId("file").click());
on("file", "change", async () => {
    const [file] = byId("file").files;
    const text = await file?.text();
    // The same file can be opened again.
    byId("file").value = "";
    return text === undefined ? undefined : load(text);
});
on("save", "click", save);
on("link", "click", copyLink);
addEventListener("hashchange", () => linked().catch(fail));
addEventListener("keydown", (event) => {
    const keys = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last", f: "flip", u: "undo" };
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const isTyped = /INPUT|TEXTAREA|SELECT/.test(event.target.tagName) || byId("board").contains(event.target);
    if (keys[key] && !isTyped && !event.ctrlKey && !event.metaKey) {
        event.preventDefault();
        byId(keys[key]).click();
    }
});

/** Keeps the page for use offline. Returns true if it has to be loaded again: only then, the service worker adds the headers for threads. */
async function isolate() {
    const { serviceWorker } = navigator;
    const isKnown = Boolean(serviceWorker?.controller);
    try {
        await serviceWorker.register("service.js");
        const tooLate = new Promise((resolve) => setTimeout(resolve, MAX_WAIT_FOR_SERVICE));
        return !crossOriginIsolated && !isKnown && Boolean(await Promise.race([serviceWorker.ready, tooLate]));
    } catch {
        return false;
    }
}

async function start() {
    byId("level").append(...LEVELS.map((elo) => new Option(`Elo ${elo}`, elo)), new Option("full strength", ""));
    byId("level").value = "1500";
    const processors = navigator.hardwareConcurrency ?? 1;
    byId("threads").append(...Array.from({ length: processors }, (_, index) => new Option(index + 1)));
    byId("threads").value = Math.max(1, Math.min(processors, 4));
    show();
    if (await isolate()) {
        location.reload();
        return;
    }
    const name = engine.ask("uci", "id name");
    await engine.ask("isready", "readyok");
    byId("version").textContent = `${(await name).slice(8)}.`;
    await linked();
    say(crossOriginIsolated ? "Ready." : "Ready, with one thread: this page is not isolated.");
}

start().catch(fail);
