// Reads the body of a response from a server that may send more than anybody should hold.

import { concatenate } from "../bytes/concatenate.ts";

/**
 * Returns the bytes of a body, empty if there is none; undefined if it has more than `maxBytes`, of which no
 * more than that and one piece are read. Throws what the stream throws.
 */
export async function readBoundedBody(
  { body }: Pick<Response, "body">,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  const reader = body?.getReader();
  while (reader) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > maxBytes) {
      await reader.cancel().catch(() => {});
      return undefined;
    }
    pieces.push(value);
  }
  return concatenate(pieces) as Uint8Array<ArrayBuffer>;
}
