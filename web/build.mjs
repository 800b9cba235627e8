// Builds the engine for WebAssembly, the package in dist/ and the page in site/.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { createHash } from "node:crypto";
import { build } from "esbuild";

process.chdir(dirname(fileURLToPath(import.meta.url)));
const COMMON = ["-C target-feature=+simd128", "-C link-arg=--export=malloc", "-C link-arg=--export=free"];
/** The engine with threads, and the one for pages that are not isolated. */
const ENGINES = [
    { file: "sesame.wasm", target: "wasm32-wasip1-threads", features: "threads", flags: ["-C link-arg=--max-memory=1073741824"] },
    { file: "sesame-single.wasm", target: "wasm32-wasip1", features: "", flags: ["-C link-arg=-zstack-size=8388608"] },
];

const installed = execFileSync("rustup", ["target", "list", "--installed"], { encoding: "utf8" }).split("\n");
const missing = ENGINES.map(({ target }) => target).filter((target) => !installed.includes(target));
if (missing.length > 0) {
    execFileSync("rustup", ["target", "add", ...missing], { stdio: "inherit" });
}
for (const { target, features, flags } of ENGINES) {
    const cargo = ["build", "--profile", "dist", "--locked", "-p", "sesame-web", "--target", target, "--no-default-features", "--features", features];
    execFileSync("cargo", cargo, { stdio: "inherit", env: { ...process.env, RUSTFLAGS: [...COMMON, ...flags].join(" ") } });
}
const { target_directory: folder } = JSON.parse(
    execFileSync("cargo", ["metadata", "--format-version", "1", "--no-deps"], { encoding: "utf8" }),
);

rmSync("dist", { recursive: true, force: true });
mkdirSync("dist");
ENGINES.forEach(({ file, target }) => cpSync(join(folder, target, "dist", "sesame-web.wasm"), join("dist", file)));
const bundle = { absWorkingDir: process.cwd(), bundle: true, minify: true, target: "es2022", legalComments: "eof" };
await build({ ...bundle, entryPoints: ["src/sesame.js", "src/thread.js", "src/single.js"], outdir: "dist", format: "iife" });
["MIT", "APACHE"].forEach((licence) => cpSync(`../LICENSE-${licence}`, `dist/LICENSE-${licence}`));

rmSync("site", { recursive: true, force: true });
cpSync("page", "site", { recursive: true, filter: (path) => !path.endsWith(".js") });
await build({ ...bundle, entryPoints: ["page/main.js"], outdir: "site", format: "esm" });
cpSync("dist", "site/engine", { recursive: true });
const board = "node_modules/cm-chessboard/assets";
["pieces/standard.svg", "extensions/markers/markers.svg", "extensions/arrows/arrows.svg"].forEach((file) =>
    cpSync(join(board, file), join("site/board", file)),
);
const styles = ["chessboard.css", "extensions/markers/markers.css", "extensions/arrows/arrows.css",
    "extensions/promotion-dialog/promotion-dialog.css"];
writeFileSync("site/board/board.css", styles.map((file) => readFileSync(join(board, file), "utf8")).join("\n"));

// The service worker keeps exactly these files. Its name for them changes with their content. It isolates the page, which then needs no
// engine without threads.
const isKept = (file) => statSync(join("site", file)).isFile() && !/[/\\\\]sesame-single\.wasm$/.test(file);
const files = readdirSync("site", { recursive: true }).filter(isKept).sort();
const hash = createHash("sha256");
files.forEach((file) => hash.update(readFileSync(join("site", file))));
const list = JSON.stringify(["./", ...files.map((file) => file.replaceAll("\\", "/"))]);
const worker = readFileSync("page/service.js", "utf8");
writeFileSync("site/service.js", worker.replace("FILES", list).replace("VERSION", hash.digest("hex").slice(0, 16)));

const size = (file) => gzipSync(readFileSync(file), { level: 9 }).length;
const sizes = readdirSync("dist").filter((file) => /\.(js|wasm)$/.test(file)).map((file) => `${file} ${size(join("dist", file)).toLocaleString("en")}`);
console.log(`compressed bytes: ${sizes.join(", ")}`);
