// A web service that answers hooks of smalti: it maps shelf marks, gates drafts, and describes volumes from a library's API.
//
//   HOOK_SECRET=… LIBRARY_API=https://library.example.org/api node library-service.mjs

import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const { HOOK_SECRET, LIBRARY_API, PORT = "9090" } = process.env;

const functions = {
  // ms-12/3 is the file scans/ms-12/0003.tif
  resolve({ identifier }) {
    const [, volume, leaf] = /^(ms-\d+)\/(\d+)$/.exec(identifier) ?? [];
    return volume ? { key: `scans/${volume}/${leaf.padStart(4, "0")}.tif` } : false;
  },

  authorize({ identifier, headers }) {
    if (!identifier.startsWith("ms-9/") || headers["x-group"] === "staff") return null;
    return { allow: false, status: 403, reason: "This volume is being catalogued." };
  },

  async presentation({ id }) {
    const response = await fetch(`${LIBRARY_API}/volumes/${encodeURIComponent(id)}`);
    if (response.status === 404) return null;
    if (!response.ok) throw new Error(`the library answered with status ${response.status}`);
    const { title, shelfmark } = await response.json();
    return {
      label: { en: [title] },
      metadata: [{ label: { en: ["Shelf mark"] }, value: { none: [shelfmark] } }],
    };
  },
};

/** Whether a question is of the server that has the secret, and not older than a minute. */
function isGenuine({ "x-timestamp": time = "", "x-signature": signature = "" }, body) {
  const expected = createHmac("sha256", HOOK_SECRET).update(`${time}.${body}`).digest();
  const given = Buffer.from(signature, "hex");
  const isFresh = Math.abs(Date.now() / 1000 - Number(time)) < 60;
  return isFresh && given.length === expected.length && timingSafeEqual(given, expected);
}

createServer(async (request, response) => {
  const parts = [];
  for await (const part of request) parts.push(part);
  const body = Buffer.concat(parts);
  if (!isGenuine(request.headers, body)) return response.writeHead(401).end();
  try {
    const { function: name, input } = JSON.parse(body);
    const answer = await functions[name]?.(input);
    response.setHeader("Content-Type", "application/json");
    response.end(JSON.stringify(answer ?? null));
  } catch (error) {
    console.error(error);
    response.writeHead(500).end();
  }
}).listen(Number(PORT), "127.0.0.1");
