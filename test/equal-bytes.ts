// Before each file of the suite: expect().toEqual compares typed arrays by their bytes first. Number by
// number takes seconds for pixels.

import { expect } from "vitest";

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView) =>
  Buffer.from(buffer, byteOffset, byteLength);

/** True for typed arrays of one kind with the same bytes; whatever else is left to the usual comparison. */
const equalBytes = (a: unknown, b: unknown): true | undefined =>
  ArrayBuffer.isView(a) && ArrayBuffer.isView(b) && a.constructor === b.constructor
    ? bytesOf(a).equals(bytesOf(b)) || undefined
    : undefined;

// Files that share a process also share the testers.
const shared = globalThis as { comparesBytes?: true };
if (!shared.comparesBytes) expect.addEqualityTesters([equalBytes]);
shared.comparesBytes = true;
