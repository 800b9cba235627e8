// Measures the engine in Chromium beside the native program and another engine's package, in alternated rounds:
//
//     SESAME=target/release/sesame node test/measure.mjs [ROUNDS]
//
// STOCKFISH names the folder `bin` of npm's `stockfish` (npm pack stockfish). Needs `scripts/web --build`. Prints tables for
// docs/results/browser.md.
import { spawn } from "node:child_process";
import { cpSync, readFileSync, rmSync } from "node:fs";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { chromium } from "playwright-core";
import { serve } from "../serve.mjs";

const PORT = 8129;
const MOVE_TIME = 1000;
const POSITIONS = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2Q1RK1 w - - 0 9",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
];
const { SESAME = "../target/release/sesame", STOCKFISH, CHROMIUM = "/usr/bin/chromium" } = process.env;
const rounds = Number(process.argv[2] ?? 3);
const OTHER = "stockfish-19-lite";

/** `send` and `until` of a program. */
function program(path) {
    const child = spawn(path);
    const waiting = [];
    createInterface({ input: child.stdout }).on("line", (line) => waiting.forEach((take) => take(line)));
    return {
        send: async (line) => child.stdin.write(`${line}\n`),
        until: (start) => new Promise((resolve) => {
            const lines = [];
            const take = (line) => {
                lines.push(line);
                if (line.startsWith(start)) {
                    waiting.splice(waiting.indexOf(take), 1);
                    resolve(lines);
                }
            };
            waiting.push(take);
        }),
        close: async () => child.kill(),
    };
}

/** The same of a worker in a page. */
async function worker(browser, script) {
    const page = await (await browser.newContext()).newPage();
    await page.goto(`http://localhost:${PORT}/icon.svg`);
    await page.evaluate((script) => {
        window.lines = [];
        window.worker = new Worker(script);
        worker.onmessage = ({ data }) => lines.push(...String(data).split("\n"));
    }, script);
    return {
        send: (line) => page.evaluate((line) => worker.postMessage(line), line),
        until: async (start) => {
            const found = await page.waitForFunction((start) => {
                const index = lines.findIndex((line) => line.startsWith(start));
                return index < 0 ? null : lines.splice(0, index + 1);
            }, start, { polling: 20, timeout: 120_000 });
            return found.jsonValue();
        },
        close: () => page.context().close(),
    };
}

/** Nodes a second over the positions. */
async function speed({ send, until, close }, threads) {
    await send("uci");
    await until("uciok");
    await send(`setoption name Threads value ${threads}`);
    await send("setoption name Hash value 16");
    let [nodes, milliseconds] = [0, 0];
    for (const fen of POSITIONS) {
        await send("ucinewgame");
        await send(`position fen ${fen}`);
        await send("isready");
        await until("readyok");
        await send(`go movetime ${MOVE_TIME}`);
        const last = (await until("bestmove")).findLast((line) => / nodes \d+/.test(line));
        nodes += Number(/ nodes (\d+)/.exec(last)[1]);
        milliseconds += Number(/ time (\d+)/.exec(last)[1]);
    }
    await close();
    return (1000 * nodes) / milliseconds;
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const thousands = (value) => Math.round(value).toLocaleString("en");
const site = new URL("../site", import.meta.url).pathname;

const server = await serve(PORT);
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });
try {
    const engines = { native: () => program(SESAME), Chromium: () => worker(browser, "engine/sesame.js") };
    const sizes = [["sesame.wasm and its scripts", ["sesame.wasm", "sesame.js", "thread.js"].map((file) => join(site, "engine", file))]];
    if (STOCKFISH) {
        cpSync(STOCKFISH, join(site, "other"), { recursive: true });
        engines[OTHER] = () => worker(browser, `other/${OTHER}.js`);
        sizes.push([`${OTHER}.wasm and .js`, [`${OTHER}.wasm`, `${OTHER}.js`].map((file) => join(STOCKFISH, file))]);
        sizes.push(["stockfish-19.wasm and .js", ["stockfish-19.wasm", "stockfish-19.js"].map((file) => join(STOCKFISH, file))]);
    }
    const speeds = {};
    for (let round = 0; round < rounds; round += 1) {
        for (const [name, start] of Object.entries(engines)) {
            for (const threads of [1, 2]) {
                (speeds[`${name} ${threads}`] ??= []).push(await speed(await start(), threads));
            }
        }
    }
    const opened = [];
    for (let round = 0; round < Math.max(rounds, 5); round += 1) {
        const page = await (await browser.newContext()).newPage();
        const start = performance.now();
        await page.goto(`http://localhost:${PORT}/`);
        await page.selectOption("#side", "b");
        await page.click("#new");
        await page.locator("#moves button").first().waitFor();
        // The page gives the engine a second for its move.
        opened.push(performance.now() - start - 1000);
        await page.context().close();
    }
    console.log(`${browser.version()}; medians of ${rounds} alternated rounds, ${POSITIONS.length} positions of ${MOVE_TIME} ms, 16 MiB\n`);
    console.log("| engine | one thread, nodes/s | two threads, nodes/s | ratio | one thread, share of native |\n|---|---|---|---|---|");
    for (const name of Object.keys(engines)) {
        const [one, two] = [1, 2].map((threads) => median(speeds[`${name} ${threads}`]));
        const ratio = median(speeds[`${name} 1`].map((one, round) => speeds[`${name} 2`][round] / one));
        const share = name === OTHER ? "" : median(speeds["native 1"].map((native, round) => speeds[`${name} 1`][round] / native)).toFixed(2);
        console.log(`| ${name} | ${thousands(one)} | ${thousands(two)} | ${ratio.toFixed(2)} | ${share} |`);
    }
    console.log("\n| files | bytes with gzip -9 | with Brotli |\n|---|---|---|");
    for (const [name, files] of sizes) {
        const sum = (compress) => thousands(files.reduce((sum, file) => sum + compress(readFileSync(file)).length, 0));
        console.log(`| ${name} | ${sum((bytes) => gzipSync(bytes, { level: 9 }))} | ${sum(brotliCompressSync)} |`);
    }
    console.log(`\nFrom opening the page to the engine's first move, less its second of thought: ${thousands(median(opened))} ms (median of ${opened.length})`);
} finally {
    rmSync(join(site, "other"), { recursive: true, force: true });
    await browser.close();
    server.close();
}
