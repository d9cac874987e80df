/** Where nothing can be reached, shows the page that says so. Keeps nothing else, above all nothing of the API. */

const KEPT = {% autoescape off %}{{ kept }}{% endautoescape %};
const LEFT_ALONE = /^\/(?:api|admin|ws)\//;

async function keep() {
  const cache = await caches.open(KEPT.cache);
  await cache.addAll([new Request(KEPT.page, { credentials: "omit", cache: "reload" }), ...KEPT.files]);
  await skipWaiting();
}

async function takeOver() {
  for (const name of await caches.keys()) if (name !== KEPT.cache) await caches.delete(name);
  await registration.navigationPreload?.enable();
  await clients.claim();
}

/** The line first, always; what is kept only where there is none. */
async function reach(event, kept) {
  try {
    return (await event.preloadResponse) ?? (await fetch(event.request));
  } catch (fault) {
    const found = await caches.match(kept, { ignoreVary: true });
    if (found) return found;
    throw fault;
  }
}

addEventListener("install", (event) => event.waitUntil(keep()));
addEventListener("activate", (event) => event.waitUntil(takeOver()));
addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin) return;
  if (request.mode === "navigate") {
    if (!LEFT_ALONE.test(pathname)) event.respondWith(reach(event, KEPT.page));
  } else if (KEPT.files.includes(pathname)) event.respondWith(reach(event, request));
});
