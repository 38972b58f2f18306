// Makes a WebAssembly module take its memory from its host, which can so bound how far that grows
// (WebAssembly Core, 5.5.5 and 5.5.8).

const sections = { custom: 0, types: 1, imports: 2, memories: 5 };
const memoryKind = 2;

/** Returns a number as LEB128. */
function leb(value) {
  const bytes = [];
  do {
    bytes.push((value & 127) | (value > 127 ? 128 : 0));
    value >>>= 7;
  } while (value > 0);
  return bytes;
}

const name = (text) => [...leb(text.length), ...Buffer.from(text)];

/**
 * Returns a module that imports `memory` of `smalti`, of at least `pages` of 64 KiB, in place of its one
 * memory. Throws an Error for a module without a memory of its own.
 */
export function withLentMemory(bytes, pages) {
  const found = [...sectionsOf(bytes)];
  if (!found.some(({ id }) => id === sections.memories))
    throw new Error("Expected a memory of its own in the module, received none.");
  const entry = [...name("smalti"), ...name("memory"), memoryKind, 0, ...leb(pages)];
  const { count, rest } = importsOf(found.find(({ id }) => id === sections.imports));
  const imports = [...leb(count + 1), ...rest, ...entry];
  const added = Buffer.from([sections.imports, ...leb(imports.length), ...imports]);
  const parts = [bytes.subarray(0, 8)];
  let isAdded = false;
  for (const { id, whole } of found) {
    if (!isAdded && id > sections.types) {
      parts.push(added);
      isAdded = true;
    }
    if (id !== sections.imports && id !== sections.memories) parts.push(whole);
  }
  return new Uint8Array(Buffer.concat(parts));
}

function* sectionsOf(bytes) {
  for (let at = 8; at < bytes.length; ) {
    const start = at;
    const id = bytes[at];
    const { value, end } = number(bytes, at + 1);
    at = end + value;
    yield { id, whole: bytes.subarray(start, at), content: bytes.subarray(end, at) };
  }
}

/** Returns the number of imports, and their bytes. */
function importsOf(section) {
  if (!section) return { count: 0, rest: [] };
  const { value, end } = number(section.content, 0);
  return { count: value, rest: section.content.subarray(end) };
}

function number(bytes, at) {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++];
    value |= (byte & 127) << shift;
    if (byte < 128) return { value: value >>> 0, end: at };
  }
}
