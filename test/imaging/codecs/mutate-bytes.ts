// Damages files of any format: bits, bytes, parts of them.

type Random = (below: number) => number;

/** Values that a field of a header may take at its ends. */
const edges = [0, 1, 0x7f, 0x80, 0xfe, 0xff];

/** Returns a copy with one to four damages, half of them in its first `head` bytes. */
export function mutateBytes(file: Uint8Array, random: Random, head: number): Uint8Array {
  let result = file.slice();
  const position = () => random(random(2) ? Math.min(head, result.length) : result.length);
  const joined = (...parts: readonly Uint8Array[]) => new Uint8Array(Buffer.concat(parts));
  const ways: (() => void)[] = [
    () => {
      result[position()]! ^= 1 << random(8);
    },
    () => {
      result[position()] = random(256);
    },
    () => {
      result[position()] = edges[random(edges.length)]!;
    },
    () => {
      const at = position();
      for (let i = at; i < Math.min(result.length, at + 4); i++) result[i] = random(256);
    },
    () => {
      result = result.slice(0, Math.max(16, position()));
    },
    () => {
      const at = position();
      result = joined(result.subarray(0, at), result.subarray(Math.min(result.length, at + 1 + random(60))));
    },
    () => {
      const at = position();
      result = joined(result.subarray(0, at), result.subarray(Math.max(0, at - random(60))));
    },
  ];
  for (let i = 0; i <= random(4); i++) ways[random(ways.length)]!();
  return result;
}
