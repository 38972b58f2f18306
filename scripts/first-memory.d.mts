// Types of first-memory.mjs, for the tests.

export function withFirstMemory(bytes: Uint8Array, pages: number): Uint8Array<ArrayBuffer>;
