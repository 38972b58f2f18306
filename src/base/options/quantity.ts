// Durations and sizes as people write them in the configuration: 500ms, 30s, 24h; 64KiB, 256MiB.

const durationUnits = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const sizeUnits = { "": 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 } as const;

function parse(text: string, units: Readonly<Record<string, number>>, expected: string): number {
  const [, digits, unit = ""] = /^(\d+)([a-zA-Z]*)$/.exec(text) ?? [];
  const value = Number(digits) * ((Object.hasOwn(units, unit) && units[unit]) || Number.NaN);
  if (!Number.isSafeInteger(value)) throw new RangeError(`expected ${expected}`);
  return value;
}

/**
 * A whole number of ms, s, m, h or d (`0s` included), in milliseconds. Throws RangeError for anything else.
 */
export function parseDuration(text: string): number {
  return parse(text, durationUnits, "a duration such as 500ms, 30s, 5m, 24h or 7d");
}

/**
 * A whole number of KiB, MiB, GiB or TiB, or of plain bytes, in bytes. Throws RangeError for anything else.
 */
export function parseSize(text: string | number): number {
  return parse(String(text), sizeUnits, "a size such as 64KiB, 256MiB, 10GiB or a number of bytes");
}

/**
 * Milliseconds in the largest unit that holds them without a remainder; {@link parseDuration} reads it back.
 */
export function formatDuration(ms: number): string {
  const whole = Math.max(0, Math.round(ms));
  const units = Object.entries(durationUnits).reverse();
  const [unit, factor] = units.find(([, each]) => whole >= each && whole % each === 0) ?? ["ms", 1];
  return `${whole / factor}${unit}`;
}

/** Bytes for people, rounded to one decimal from KiB on: `512 B`, `1.5 KiB`, `256 MiB`. */
export function formatSize(bytes: number): string {
  const units = Object.entries(sizeUnits).reverse();
  // A number that would be rounded up to 1024 of a unit is written as 1 of the next.
  const [unit, factor] = units.find(([, each]) => bytes >= each * (1 - 1 / 20480) && each > 1) ?? ["B", 1];
  return `${Number((bytes / factor).toFixed(1))} ${unit}`;
}
