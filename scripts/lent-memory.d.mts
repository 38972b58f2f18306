// Types of lent-memory.mjs, for the tests.

export function withLentMemory(bytes: Uint8Array, pages: number): Uint8Array<ArrayBuffer>;
