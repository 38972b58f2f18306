// The declared sizes of the grids in a profile's tables. Little CMS up to 2.18 counts nodes in 32 bits, so
// that a grid of more gets a table that is too small, and is read beyond its end (CVE-2026-41254).

/** Positions of a grid in a tag: its points along each axis, a byte each, and its output channels. */
interface DeclaredGrid {
  readonly points: readonly number[];
  readonly outputs: number;
}

/** Returns the grids of a tag by its type; the tag may end anywhere. */
const grids: Readonly<Record<string, (tag: DataView) => readonly DeclaredGrid[]>> = {
  mft1: sameOnAllAxes,
  mft2: sameOnAllAxes,
  "mAB ": behindOffset,
  "mBA ": behindOffset,
  mpet: ofElements,
};

function sameOnAllAxes(tag: DataView): readonly DeclaredGrid[] {
  const [inputs, outputs, points] = [8, 9, 10].map((at) => tag.getUint8(at)) as [number, number, number];
  return [{ points: Array<number>(inputs).fill(points), outputs }];
}

function behindOffset(tag: DataView): readonly DeclaredGrid[] {
  const at = tag.getUint32(24);
  return at === 0 ? [] : [gridAt(tag, at, tag.getUint8(8), tag.getUint8(9))];
}

function ofElements(tag: DataView): readonly DeclaredGrid[] {
  const found: DeclaredGrid[] = [];
  const count = tag.getUint32(12);
  for (let entry = 16; entry < 16 + count * 8 && entry + 8 <= tag.byteLength; entry += 8) {
    const at = tag.getUint32(entry);
    if (at + 28 > tag.byteLength || tag.getUint32(at) !== clut) continue;
    found.push(gridAt(tag, at + 12, tag.getUint16(at + 8), tag.getUint16(at + 10)));
  }
  return found;
}

/** The signature "clut". */
const clut = 0x636c7574;

const gridAt = (tag: DataView, at: number, inputs: number, outputs: number): DeclaredGrid => ({
  points: Array.from({ length: Math.min(inputs, 16) }, (_, axis) => tag.getUint8(at + axis)),
  outputs,
});

/** Tags of a profile that Little CMS opens. */
const maxTags = 100;

/**
 * True if a tag of a profile declares a grid whose values, as floating-point numbers, do not fit in 4 GiB: no
 * sound profile does. Tags that end too early declare none; Little CMS refuses them.
 */
export function hasImpossibleGrid(profile: Uint8Array): boolean {
  const view = new DataView(profile.buffer, profile.byteOffset, profile.length);
  const count = profile.length < 132 ? 0 : Math.min(maxTags, view.getUint32(128));
  for (let at = 132; at < 132 + count * 12 && at + 12 <= profile.length; at += 12) {
    const offset = view.getUint32(at + 4);
    if (offset + 4 > profile.length) continue;
    const type = String.fromCharCode(...profile.subarray(offset, offset + 4));
    // Little CMS reads to the end of the profile, not of the tag.
    const tag = new DataView(profile.buffer, profile.byteOffset + offset, profile.length - offset);
    if (gridsOf(type, tag).some(isImpossible)) return true;
  }
  return false;
}

function gridsOf(type: string, tag: DataView): readonly DeclaredGrid[] {
  try {
    return grids[type]?.(tag) ?? [];
  } catch (error) {
    if (error instanceof RangeError) return [];
    throw error;
  }
}

const isImpossible = ({ points, outputs }: DeclaredGrid): boolean =>
  points.reduce((product, along) => product * along, outputs) * 4 >= 2 ** 32;
