// Bodies of responses: large ones leave in pieces.

import type { RequestContext } from "../context.ts";

/** Bytes from which a body leaves in pieces: a smaller one mostly fits into the buffers of the system. */
const leastPacedBytes = 256 * 1024;

/**
 * Returns a body for a response: in pieces if it is large and the runtime can send it so, else unchanged.
 * Throws `busy` (code sending_full) if other large bodies leave no room.
 */
export function bodyOf(
  c: RequestContext,
  bytes: Uint8Array<ArrayBuffer>,
): Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> {
  const pacing = c.get("pacing");
  if (!pacing || bytes.length < leastPacedBytes || c.req.method === "HEAD") return bytes;
  let resolveSent = () => {};
  const sent = new Promise<void>((resolve) => {
    resolveSent = resolve;
  });
  const body = pacing.sendings.send(bytes, c.get("client"), pacing.stallMs, resolveSent);
  c.set("sent", sent);
  return body;
}
