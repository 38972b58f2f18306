// One request over HTTP, and a check that its response is as requested.

import http from "node:http";
import { setTimeout as pause } from "node:timers/promises";

/**
 * Returns status, content type, body and milliseconds from dispatch to the last byte. Throws if no response
 * arrives in time.
 */
export function ask(url, agent, timeout = 120_000) {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const request = http.get(url, { agent, timeout }, (response) => {
      const parts = [];
      response.on("data", (part) => parts.push(part));
      response.on("error", reject);
      response.on("end", () =>
        resolve({
          status: response.statusCode,
          type: response.headers["content-type"] ?? "",
          body: Buffer.concat(parts),
          ms: performance.now() - began,
        }),
      );
    });
    request.on("timeout", () => request.destroy(new Error(`no response within ${timeout / 1000} s`)));
    request.on("error", reject);
  });
}

/** Waits until something responds at `url`, with any status; false if `alive` says that it will not. */
export async function listening(url, alive, seconds = 20) {
  const agent = new http.Agent();
  for (const end = Date.now() + seconds * 1000; Date.now() < end; await pause(25)) {
    if (!alive()) return false;
    try {
      await ask(url, agent, 2000);
      return true;
    } catch {}
  }
  return false;
}

/**
 * Describes what is wrong with a response, in a few words that do not vary with the tile; undefined if
 * nothing is.
 */
export function fault(request, answer) {
  if (answer.status !== 200) return `status ${answer.status}`;
  if (request.kind === "info") return infoFault(answer);
  return request.path.endsWith(".png") ? pngFault(request, answer) : jpegFault(request, answer);
}

function infoFault({ type, body }) {
  if (!type.includes("json")) return `type ${type}`;
  try {
    const { width, height } = JSON.parse(body);
    return width > 0 && height > 0 ? undefined : "no size in info.json";
  } catch {
    return "info.json is not JSON";
  }
}

function jpegFault(request, { type, body }) {
  if (!type.startsWith("image/jpeg")) return `type ${type}`;
  const size = frameSize(body);
  return size ? sizeFault(request, size) : "not a JPEG";
}

function pngFault(request, { type, body }) {
  if (!type.startsWith("image/png")) return `type ${type}`;
  if (body.length < 33 || body.toString("latin1", 12, 16) !== "IHDR") return "not a PNG";
  return sizeFault(request, { width: body.readUInt32BE(16), height: body.readUInt32BE(20) });
}

function sizeFault({ width, height, tolerance = 0 }, size) {
  const near = Math.abs(size.width - width) <= tolerance && Math.abs(size.height - height) <= tolerance;
  return near ? undefined : "another size than asked for";
}

/** Markers C0 to CF that are no frame headers: DHT, JPG, DAC (ITU T.81, table B.1). */
const notFrames = new Set([0xc4, 0xc8, 0xcc]);

/**
 * Width and height in the frame header of a JPEG that also ends as one (ITU T.81 B.2.2); undefined for
 * anything else.
 */
export function frameSize(bytes) {
  const whole = bytes.length > 4 && bytes.readUInt16BE(0) === 0xffd8;
  if (!whole || bytes.readUInt16BE(bytes.length - 2) !== 0xffd9) return undefined;
  for (let at = 2; at + 9 < bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes[at + 1];
    if (marker >= 0xc0 && marker <= 0xcf && !notFrames.has(marker))
      return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    at += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}
