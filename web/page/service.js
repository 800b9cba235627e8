// Keeps the page for use offline, and adds the headers that threads need where the host cannot send them.
// Other pages of the same host have caches of their own.
const PREFIX = `sesame ${registration.scope} `;
const CACHE = `${PREFIX}VERSION`;
const KEPT = FILES;

self.addEventListener("install", (event) => {
    event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(KEPT.map((file) => new Request(file, { cache: "reload" })))).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
    const remove = async () => {
        const old = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== CACHE);
        await Promise.all(old.map((name) => caches.delete(name)));
        await self.clients.claim();
    };
    event.waitUntil(remove());
});

self.addEventListener("fetch", (event) => {
    if (event.request.method === "GET" && new URL(event.request.url).origin === location.origin) {
        event.respondWith(answer(event.request));
    }
});

async function answer(request) {
    const cache = await caches.open(CACHE);
    const response = (await cache.match(request, { ignoreSearch: true })) ?? (await fetch(request));
    const headers = new Headers(response.headers);
    headers.set("Cross-Origin-Opener-Policy", "same-origin");
    headers.set("Cross-Origin-Embedder-Policy", "require-corp");
    return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}
