// Serves the page with the headers that threads need: node serve.mjs [PORT] [--not-isolated]
import { createReadStream, existsSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml",
    ".wasm": "application/wasm", ".webmanifest": "application/manifest+json", ".png": "image/png" };
const ISOLATION = { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" };

export function serve(port, isolated = true) {
    const root = join(dirname(fileURLToPath(import.meta.url)), "site");
    const server = createServer((request, response) => {
        let path = root;
        try {
            path = join(root, normalize(decodeURIComponent(new URL(`http://localhost${request.url}`).pathname)));
        } catch {
            response.writeHead(400).end("bad address");
            return;
        }
        if (path.startsWith(root) && existsSync(path) && statSync(path).isDirectory()) {
            path = join(path, "index.html");
        }
        if (!path.startsWith(root) || !existsSync(path)) {
            response.writeHead(404).end("not found");
            return;
        }
        const type = TYPES[extname(path)] ?? "application/octet-stream";
        response.writeHead(200, { "Content-Type": type, "Cache-Control": "no-cache", ...(isolated ? ISOLATION : {}) });
        createReadStream(path).on("error", () => response.destroy()).pipe(response);
    });
    return new Promise((resolve, reject) => {
        server.once("error", reject);
        server.listen(port, "127.0.0.1", () => resolve(server));
    });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
    const port = Number(process.argv.slice(2).find((word) => /^\d+$/.test(word)) ?? 8080);
    try {
        await serve(port, !process.argv.includes("--not-isolated"));
        console.log(`Open http://localhost:${port}/ in a browser. Ctrl-C ends the server.`);
    } catch (error) {
        console.error(`error: port ${port} cannot be used: ${error.message}`);
        process.exit(1);
    }
}
