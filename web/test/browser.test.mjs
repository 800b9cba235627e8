// The page and its engine in a real browser. Needs `node build.mjs`, and Chromium (CHROMIUM names another than /usr/bin/chromium).
//
// With SESAME, the path of the native program, its nodes are compared as well. With SCREENSHOTS, a folder, pictures are saved there.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { after, before, test } from "node:test";
import { Chess } from "chess.js";
import { chromium } from "playwright-core";
import { serve } from "../serve.mjs";

const PORT = 8127;
const ADDRESS = `http://localhost:${PORT}/`;
// Only a watchdog: no test measures time.
const WATCHDOG = 300_000;
const ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--js-flags=--expose-gc"];
const { SESAME, SCREENSHOTS, CHROMIUM = "/usr/bin/chromium" } = process.env;

let server;
let browser;
before(async () => {
    server = await serve(PORT);
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS });
});
after(async () => {
    await browser?.close();
    server?.close();
});

async function open(options = {}, address = ADDRESS) {
    const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(WATCHDOG);
    page.errors = [];
    page.on("pageerror", (error) => page.errors.push(error.message));
    await page.goto(address);
    return page;
}

const ready = (page) => page.locator("#engine", { hasText: "Ready." }).waitFor();
const text = (page, id) => page.locator(`#${id}`).textContent();
const moves = (page) => page.locator("#moves button").allTextContents();

/** Waits until the page has these moves. */
const hasMoves = (page, wanted) =>
    page.waitForFunction(
        (wanted) => [...document.querySelectorAll("#moves button")].map((move) => move.textContent).join(" ") === wanted,
        wanted.join(" "),
    );

async function enter(page, move) {
    await page.fill("#move", move);
    await page.press("#move", "Enter");
}

/** A move before the new game would be one of the former game. */
async function newGame(page) {
    await page.click("#new");
    await page.waitForFunction(() => !document.getElementById("resign").disabled);
    await hasMoves(page, []);
}

async function load(page, content) {
    await page.fill("#text", content);
    await page.click("#import button:first-of-type");
}

/** Opens a page with nothing but an engine: `send` and `until` as a chess page would use it. */
async function bare(options, address = ADDRESS) {
    const page = await open(options, `${address}icon.svg`);
    await page.evaluate(() => {
        window.lines = [];
        window.worker = new Worker("engine/sesame.js");
        worker.onmessage = ({ data }) => lines.push(data);
        worker.onerror = (event) => lines.push(`error: ${event.message}`);
    });
    const send = (line) => page.evaluate((line) => worker.postMessage(line), line);
    const until = async (pattern) => {
        const found = await page.waitForFunction(
            (pattern) => {
                const index = lines.findIndex((line) => new RegExp(`^${pattern}`).test(line));
                return index < 0 ? null : lines.splice(0, index + 1);
            },
            pattern,
            { polling: 5 },
        );
        return found.jsonValue();
    };
    return { page, send, until };
}

test("the worker speaks UCI, a message a line", async () => {
    const { page, send, until } = await bare();
    await send("uci");
    const lines = await until("uciok");
    assert.ok(lines.some((line) => line.startsWith("id name Sesame")));
    for (const option of ["Threads", "Hash", "MultiPV", "UCI_LimitStrength", "UCI_Elo", "UCI_ShowWDL", "UCI_Chess960"]) {
        assert.ok(lines.some((line) => line.startsWith(`option name ${option} `)), option);
    }
    await send("setoption name UCI_Chess960 value true");
    await send("position fen bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9");
    await send("setoption name UCI_ShowWDL value true");
    await send("go depth 6");
    const search = await until("bestmove");
    assert.ok(search.some((line) => / wdl \d+ \d+ \d+ /.test(line)));
    // More than a 32-bit memory holds: refused, and the engine goes on.
    await send("setoption name Hash value 4096");
    await send("isready");
    assert.ok((await until("readyok")).some((line) => line.startsWith("info string") && line.includes("4096")));
    await send("go depth 6");
    await until("bestmove");
    await page.context().close();
});

test("the nodes are those of the native program", { skip: SESAME ? false : "SESAME does not name the native program" }, async () => {
    const { page, send, until } = await bare();
    for (const [commands, last] of [
        [["bench"], "\\d+ nodes \\d+ nps$"],
        [["setoption name Threads value 2", "setoption name Lockstep value true", "position startpos", "go depth 11"], "bestmove"],
    ]) {
        const native = execFileSync(SESAME, { input: `${commands.join("\n")}\n`, encoding: "utf8" }).trim().split("\n");
        for (const command of commands) {
            await send(command);
        }
        const nodes = (lines) => /(\d+) nodes \d+ nps| nodes (\d+)/.exec(lines.findLast((line) => line.includes("nodes")))?.slice(1).join("");
        assert.equal(nodes(await until(last)), nodes(native), commands);
    }
    await page.context().close();
});

test("two threads find mates, and stop answers", async (context) => {
    const { page, send, until } = await bare();
    await send("setoption name Threads value 2");
    for (const [fen, mate] of [
        ["6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1", 1],
        ["r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4", 1],
        ["kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", 2],
    ]) {
        await send(`position fen ${fen}`);
        await send(`go mate ${mate}`);
        const lines = await until("bestmove");
        assert.ok(lines.some((line) => line.includes(` score mate ${mate} `)), fen);
    }
    await send("position startpos");
    const waits = [];
    for (let number = 0; number < 10; number += 1) {
        await send("go infinite");
        await until("info depth ([89]|\\d\\d) ");
        const wait = await page.evaluate(async () => {
            const answered = new Promise((resolve) => worker.addEventListener("message", ({ data }) => data.startsWith("bestmove") && resolve()));
            const asked = performance.now();
            worker.postMessage("stop");
            await answered;
            return performance.now() - asked;
        });
        await until("bestmove");
        waits.push(wait);
    }
    context.diagnostic(`stop to bestmove, ms: median ${waits.sort((a, b) => a - b)[5].toFixed(1)}, maximum ${waits.at(-1).toFixed(1)}`);
    await page.context().close();
});

test("200 searches take no more memory, and quit frees all workers", async () => {
    const { page, send, until } = await bare();
    await send("setoption name Threads value 2");
    const search = async (count) => {
        for (let number = 0; number < count; number += 1) {
            await send("go nodes 2000");
            await until("bestmove");
        }
        const coordinator = page.workers().find((worker) => worker.url().endsWith("sesame.js"));
        return coordinator.evaluate(() => [globalThis.engineMemory?.buffer.byteLength ?? 0]);
    };
    const [before] = await search(20);
    const workers = page.workers().length;
    assert.ok(before > 0);
    assert.deepEqual(await search(200), [before]);
    assert.equal(page.workers().length, workers);
    await send("quit");
    // Asked of the browser: playwright's own list can miss an end.
    const session = await browser.newBrowserCDPSession();
    const count = async () => {
        const { targetInfos } = await session.send("Target.getTargets", { filter: [{ type: "worker" }] });
        return targetInfos.length;
    };
    const begun = Date.now();
    while ((await count()) > 0) {
        assert.ok(Date.now() - begun < WATCHDOG, "workers are left");
        await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await page.context().close();
});

test("a person plays by drag, click, keyboard and text", async () => {
    const page = await open();
    await ready(page);
    await page.click("#tab-analyse");
    const box = await page.locator("#board").boundingBox();
    const at = (square) => [box.x + (box.width * (square.charCodeAt(0) - 96.5)) / 8, box.y + (box.height * (8.5 - square[1])) / 8];
    await page.mouse.move(...at("e2"));
    await page.mouse.down();
    await page.mouse.move(...at("e3"), { steps: 4 });
    await page.mouse.move(...at("e4"), { steps: 4 });
    await page.mouse.up();
    await page.locator("#moves button", { hasText: "e4" }).waitFor();
    await page.mouse.click(...at("e7"));
    await page.mouse.click(...at("e5"));
    await page.locator("#moves button", { hasText: "e5" }).waitFor();
    await enter(page, "g1f3");
    await enter(page, "Nc6");
    await hasMoves(page, ["e4", "e5", "Nf3", "Nc6"]);
    await enter(page, "Ke3");
    assert.match(await text(page, "status"), /Ke3 is not a legal move/);
    await page.locator("#flip").focus();
    await page.keyboard.press("ArrowLeft");
    assert.equal(await page.locator("#moves [aria-current=true]").textContent(), "Nf3");
    await page.keyboard.press("u");
    await hasMoves(page, ["e4", "e5"]);
    // A pawn is promoted by the dialog.
    await load(page, "8/P6k/8/8/8/8/8/K7 w - - 0 1");
    await page.mouse.click(...at("a7"));
    await page.mouse.click(...at("a8"));
    await page.locator(".promotion-dialog-button[data-piece=wn]").click();
    await hasMoves(page, ["a8=N"]);
    assert.deepEqual(page.errors, []);
    await page.context().close();
});

async function playToTheEnd(page, choose) {
    const over = page.locator("#status", { hasText: /[01]-[01]|1\/2-1\/2/ });
    for (let number = 0; number < 200; number += 1) {
        await page.waitForFunction(() => /White to move|-/.test(document.getElementById("status").textContent));
        if ((await over.count()) > 0) {
            return;
        }
        const chess = new Chess();
        (await moves(page)).forEach((move) => chess.move(move));
        await enter(page, await choose(chess));
    }
}

test("a game is lost against full strength and won against a level", async () => {
    const page = await open();
    await ready(page);
    await page.selectOption("#level", "");
    await page.selectOption("#time", "60+0");
    await newGame(page);
    // The first legal move: no defence at all.
    await playToTheEnd(page, (chess) => chess.moves()[0]);
    assert.match(await text(page, "status"), /^Checkmate: 0-1$/);
    if (SCREENSHOTS) {
        await page.screenshot({ path: `${SCREENSHOTS}/lost.png` });
    }
    await page.click("#undo");
    await page.locator("#status", { hasText: "White to move" }).waitFor();
    const { page: helper, send, until } = await bare();
    await page.selectOption("#level", "1320");
    // The helper's moves may take any time.
    await page.selectOption("#time", "");
    await newGame(page);
    await playToTheEnd(page, async (chess) => {
        await send(`position fen ${chess.fen()}`);
        await send("go nodes 20000");
        return (await until("bestmove")).at(-1).split(" ")[1];
    });
    assert.match(await text(page, "status"), /: 1-0$/);
    if (SCREENSHOTS) {
        await page.screenshot({ path: `${SCREENSHOTS}/won.png` });
    }
    await helper.context().close();
    assert.deepEqual(page.errors, []);
    await page.context().close();
});

test("a game goes on while the player looks back", async () => {
    const page = await open();
    await ready(page);
    await newGame(page);
    await enter(page, "e4");
    await page.click("#back");
    // The engine's answer arrives, and nobody can play for it.
    await page.waitForFunction(() => document.querySelectorAll("#moves button").length === 2);
    await page.click("#first");
    await enter(page, "c5");
    assert.match(await text(page, "status"), /c5 is not a legal move/);
    await page.click("#undo");
    await hasMoves(page, []);
    assert.deepEqual(page.errors, []);
    await page.context().close();
});

test("an analysis shows lines, figures, bar and curve", async () => {
    const page = await open();
    await ready(page);
    await load(page, "[White \"Morphy\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 d6 3. d4 Bg4 4. dxe5 Bxf3 5. Qxf3 dxe5 6. Bc4 Nf6 7. Qb3 Qe7 8. Nc3 c6 9. Bg5 b5 1-0");
    await page.click("#tab-analyse");
    await page.selectOption("#lines", "3");
    await page.click("#evaluate");
    await page.locator("#figures", { hasText: "evaluating" }).waitFor();
    await page.waitForFunction(() => document.getElementById("figures").textContent === "");
    assert.equal(await page.locator("#curve polyline").count(), 1);
    await page.click("#last");
    await page.click("#run");
    await page.locator("#figures", { hasText: /depth (1\d|[89])/ }).waitFor();
    assert.equal(await page.locator("#pvs li").count(), 3);
    assert.match(await text(page, "pvs"), /10\. /);
    assert.match(await page.locator("#bar").getAttribute("aria-label"), /Evaluation [+-]/);
    if (SCREENSHOTS) {
        await page.screenshot({ path: `${SCREENSHOTS}/wide-light.png` });
        await page.emulateMedia({ colorScheme: "dark" });
        await page.screenshot({ path: `${SCREENSHOTS}/wide-dark.png` });
        await page.setViewportSize({ width: 390, height: 844 });
        await page.screenshot({ path: `${SCREENSHOTS}/phone-dark.png`, fullPage: true });
        await page.emulateMedia({ colorScheme: "light" });
        await page.screenshot({ path: `${SCREENSHOTS}/phone-light.png`, fullPage: true });
    }
    // A reload in the middle of the search begins anew.
    await page.reload();
    await ready(page);
    await page.click("#tab-analyse");
    await page.click("#run");
    await page.locator("#figures", { hasText: "depth" }).waitFor();
    await page.click("#run");
    assert.deepEqual(page.errors, []);
    await page.context().close();
});

test("texts are read, wrong ones explained, games saved, positions linked", async () => {
    const page = await open();
    await ready(page);
    for (const [wrong, message] of [
        ["8/8/8/8/8/8/8/8 w - - 0 1", /FEN is wrong/],
        ["4k3/8/8/8/8/8/4R3/4K3 w - - 0 1", /king .* in check/],
        ["hello", /neither a FEN nor a PGN/],
        ["1. e4 e5 2. Ke3", /neither a FEN nor a PGN/],
    ]) {
        await load(page, wrong);
        assert.match(await text(page, "failure"), message);
    }
    await load(page, "1. e4 e5 2. Nf3 Nc6");
    assert.ok(await page.locator("#failure").isHidden());
    await page.click("#last");
    await page.click("#link");
    const link = await page.inputValue("#text");
    assert.equal(await page.locator("#moves button").count(), 4);
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("#save")]);
    assert.equal(download.suggestedFilename(), "sesame.pgn");
    const saved = await page.inputValue("#text");
    await load(page, saved);
    await hasMoves(page, ["e4", "e5", "Nf3", "Nc6"]);
    const other = await open({}, link);
    await ready(other);
    await other.locator("#status", { hasText: "White to move" }).waitFor();
    await enter(other, "Bb5");
    await hasMoves(other, ["Bb5"]);
    await page.context().close();
    await other.context().close();
});

test("the page works offline once loaded", async () => {
    const page = await open();
    await ready(page);
    await page.evaluate(() => navigator.serviceWorker.ready);
    await page.waitForFunction(async () => (await caches.keys()).length > 0);
    await page.context().setOffline(true);
    await page.reload();
    await ready(page);
    await page.click("#tab-analyse");
    await page.click("#run");
    await page.locator("#figures", { hasText: "depth" }).waitFor();
    await page.context().close();
});

test("a host without headers: the service worker adds them; without one, a single thread searches", async () => {
    const plain = await serve(PORT + 1, false);
    const address = `http://localhost:${PORT + 1}/`;
    const page = await open({}, address);
    await ready(page);
    assert.ok(await page.evaluate(() => crossOriginIsolated));
    await page.context().close();
    const alone = await open({ serviceWorkers: "block" }, address);
    await alone.locator("#engine", { hasText: "Ready, with one thread" }).waitFor();
    await alone.locator("#version", { hasText: "Sesame" }).waitFor();
    await alone.click("#tab-analyse");
    await alone.click("#run");
    await alone.locator("#figures", { hasText: "depth" }).waitFor();
    await alone.click("#run");
    await alone.locator("#run", { hasText: "Start" }).waitFor();
    await alone.context().close();

    const { page: bareAlone, send, until } = await bare({ serviceWorkers: "block" }, address);
    assert.ok(!(await bareAlone.evaluate(() => crossOriginIsolated)));
    await send("uci");
    assert.ok((await until("uciok"))[0].includes("not isolated"));
    await send("setoption name MultiPV value 2");
    await send("position startpos moves e2e4");
    for (let number = 0; number < 3; number += 1) {
        await send("go infinite");
        await until("info depth ([6-9]|\\d\\d) ");
        await send("isready");
        await until("readyok");
        await send("stop");
        // The options and the position outlive the stop.
        const search = await until("bestmove");
        assert.match(search.at(-1), /^bestmove [a-h][78]/);
        await send("go depth 5");
        const again = await until("bestmove");
        assert.ok(again.some((line) => line.includes(" multipv 2 ")));
        assert.ok(again.every((line) => !line.startsWith("bestmove") || line === again.at(-1)));
    }
    await send("setoption name Threads value 2");
    await until("info string the system granted 1 of 2 threads");
    await send("setoption name MultiPV value 1");
    await send("ucinewgame");
    await send("position startpos");
    await send("go depth 8");
    const nodes = (await until("bestmove")).findLast((line) => line.includes(" nodes "));
    const { page: isolated, send: sendThreads, until: untilThreads } = await bare();
    await sendThreads("go depth 8");
    const same = (await untilThreads("bestmove")).findLast((line) => line.includes(" nodes "));
    assert.equal(/ nodes \d+/.exec(nodes)[0], / nodes \d+/.exec(same)[0]);
    await send("quit");
    await isolated.context().close();
    await bareAlone.context().close();
    plain.close();
});
