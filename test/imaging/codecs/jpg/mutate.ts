// Damage for tests.

/** The file up to one place and from another on. */
function spliced(file: Uint8Array, end: number, start: number): Uint8Array {
  return new Uint8Array(Buffer.concat([file.subarray(0, end), file.subarray(start)]));
}

/** The file with a few bytes from `from` on changed, removed, doubled or cut off. */
export function mutate(file: Uint8Array, from: number, random: () => number): Uint8Array {
  const at = () => from + Math.floor(random() * (file.length - from));
  const ways: (() => Uint8Array)[] = [
    () => file.with(at(), Math.floor(random() * 256)) as Uint8Array,
    () => file.with(at(), 0xff) as Uint8Array,
    () => {
      const place = at();
      const copy = file.slice();
      copy[place] = 0xff;
      if (place + 1 < copy.length) copy[place + 1] = 0xc0 + Math.floor(random() * 64);
      return copy;
    },
    () => file.slice(0, at()),
    () => {
      const place = at();
      return spliced(file, place, place + Math.floor(random() * 40));
    },
    () => {
      const place = at();
      return spliced(file, place, Math.max(from, place - 30));
    },
  ];
  let result = file;
  for (let i = 0; i <= random() * 2; i++) result = ways[Math.floor(random() * ways.length)]!();
  return result;
}
