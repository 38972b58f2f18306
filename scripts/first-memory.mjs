// Reduces the memory that instances of a WebAssembly module begin with (WebAssembly Core, 5.5.8).

/**
 * Returns a module whose one memory begins with `pages` of 64 KiB instead of more. Throws an Error for a
 * module without a memory of its own, and for one that begins with fewer.
 */
export function withFirstMemory(bytes, pages) {
  let at = 8;
  const number = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++];
      value |= (byte & 127) << shift;
      if (byte < 128) return value >>> 0;
    }
  };
  while (at < bytes.length) {
    const section = bytes[at++];
    const length = number();
    if (section !== 5) {
      at += length;
      continue;
    }
    number(); // count: 1
    at++; // whether there is a maximum
    const start = at;
    if (number() < pages) throw new Error(`Expected a memory of at least ${pages} pages in the module.`);
    const out = Uint8Array.from(bytes);
    // The number takes as many bytes as before, so that nothing moves.
    for (let i = start; i < at; i++) out[i] = ((pages >> (7 * (i - start))) & 127) | (i < at - 1 ? 128 : 0);
    return out;
  }
  throw new Error("Expected a memory in the module, received none.");
}
