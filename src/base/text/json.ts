// The one way to parse JSON (RFC 8259) of others. `JSON.parse` takes any depth, but what later walks or
// writes its result is recursive.

/** Most levels of lists and objects: the deepest documents of IIIF have about 20. */
export const maxJsonLevels = 64;

/** Thrown for text with more levels than allowed. */
export class JsonTooDeep extends Error {
  /** Offset of the bracket that goes too far, in UTF-16 units. */
  readonly offset: number;

  constructor(offset: number) {
    super(`expected at most ${maxJsonLevels} levels of lists and objects; received more`);
    this.offset = offset;
  }
}

export interface JsonOptions {
  /** Omits members named `__proto__`, which become a prototype if an object is copied. */
  readonly withoutPrototypes?: boolean;
}

/** Parses a text. Throws {@link JsonTooDeep} before anything is built, and SyntaxError. */
export function parseJson(text: string, { withoutPrototypes }: JsonOptions = {}): unknown {
  const offset = offsetOfExcess(text);
  if (offset !== undefined) throw new JsonTooDeep(offset);
  if (!withoutPrototypes || !text.includes("__proto__")) return JSON.parse(text);
  return JSON.parse(text, (name, value) => (name === "__proto__" ? undefined : value));
}

/** True if a text has more levels than {@link parseJson} allows, for JSON that others parse. */
export const isDeep = (text: string): boolean => offsetOfExcess(text) !== undefined;

/** Returns the offset of the first bracket that is too deep; undefined if there is none. */
function offsetOfExcess(text: string): number | undefined {
  let level = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === quote) at = endOfString(text, at);
    else if (unit === openList || unit === openObject) {
      if (++level > maxJsonLevels) return at;
    } else if (unit === closeList || unit === closeObject) level--;
  }
  return undefined;
}

/** UTF-16 units that structure JSON. */
export const jsonUnits = {
  quote: 0x22,
  backslash: 0x5c,
  colon: 0x3a,
  comma: 0x2c,
  openList: 0x5b,
  closeList: 0x5d,
  openObject: 0x7b,
  closeObject: 0x7d,
} as const;

const { quote, backslash, openList, closeList, openObject, closeObject } = jsonUnits;

/** Returns the offset of the quote that ends the string which begins at an offset; the end if none does. */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let first = end;
    while (text.charCodeAt(first - 1) === backslash) first--;
    if ((end - first) % 2 === 0) return end;
  }
  return text.length;
}
