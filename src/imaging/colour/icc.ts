// The parts of ICC profiles that decide whether and how they can be used (ICC.1:2001-04 and ICC.1:2022: 7.2
// header, 7.3 tags).

import type { ByteSource } from "../../base/index.ts";

/** Possible samples of an image with a matching profile. */
export type DeviceSpace = "gray" | "rgb" | "cmyk";

/**
 * `matrix`: a curve for each of three and a matrix; `gray`: one curve; `table`: anything else, by its table
 * to Lab or XYZ.
 */
export type Model = "matrix" | "gray" | "table";

export interface Profile {
  readonly space: DeviceSpace;
  readonly model: Model;
  /** True if the profile connection space is Lab. */
  readonly lab: boolean;
  /** Length in bytes, as its header says. */
  readonly size: number;
  readonly tags: ReadonlyMap<string, { readonly offset: number; readonly size: number }>;
}

/** The reason why a profile is not used, for people. */
export interface Unusable {
  readonly ignored: string;
}

const headerBytes = 128;
const entryBytes = 12;
const maxTags = 100;
/** Header and tag table at their longest. */
export const headBytes = headerBytes + 4 + maxTags * entryBytes;

const spaces: Readonly<Record<string, DeviceSpace>> = { GRAY: "gray", "RGB ": "rgb", CMYK: "cmyk" };
/** Number of channels of each space. */
export const channels: Readonly<Record<DeviceSpace, number>> = { gray: 1, rgb: 3, cmyk: 4 };
/** Classes of profiles that describe a device or a space (7.2.5). */
const classes = ["scnr", "mntr", "prtr", "spac"];
/** Tables of the device to the connection space, the colorimetric first, as LittleCMS looks for them. */
export const tables = ["D2B1", "A2B1", "D2B0", "A2B0"];
const shapers = {
  matrix: ["rXYZ", "gXYZ", "bXYZ", "rTRC", "gTRC", "bTRC"],
  gray: ["kTRC"],
} as const;

/** True if this says why a profile is ignored. */
export function isUnusable(found: object): found is Unusable {
  return "ignored" in found;
}

/** Returns how a profile defines its colours, by its tags; undefined if it does not. */
function modelOf(space: Profile["space"], has: (tag: string) => boolean): Profile["model"] | undefined {
  if (tables.some(has)) return "table";
  if (space === "rgb" && shapers.matrix.every(has)) return "matrix";
  return space === "gray" && has("kTRC") ? "gray" : undefined;
}

/** Reads header and tag table from the first bytes of a profile of which `available` bytes are there. */
export function readHead(head: Uint8Array, available: number): Profile | Unusable {
  if (head.length < headerBytes + 4)
    return damagedProfile(`${headerBytes + 4} bytes or more`, `${head.length}`);
  const view = new DataView(head.buffer, head.byteOffset, head.length);
  const text = (at: number) => String.fromCharCode(...head.subarray(at, at + 4));
  if (text(36) !== "acsp") return damagedProfile("the signature acsp", "other bytes");
  const size = view.getUint32(0);
  if (size > available) return damagedProfile(`its ${size} bytes`, `${available}`);
  const version = view.getUint8(8);
  if (version !== 2 && version !== 4) return { ignored: `it is of version ${version}, not 2 or 4` };
  if (!classes.includes(text(12)))
    return { ignored: `it is of class ${toPrintable(text(12))}, not of a device` };
  const space = spaces[text(16)];
  if (!space) return { ignored: `it is for ${toPrintable(text(16))}, not for gray, RGB or CMYK` };
  const connection = text(20);
  if (connection !== "XYZ " && connection !== "Lab ")
    return damagedProfile("XYZ or Lab inside", toPrintable(connection));

  const count = view.getUint32(headerBytes);
  if (count > maxTags) return damagedProfile(`at most ${maxTags} tags`, `${count}`);
  const start = headerBytes + 4;
  if (start + count * entryBytes > Math.min(size, head.length))
    return damagedProfile(`${count} tags`, "fewer");
  const tags = new Map<string, { offset: number; size: number }>();
  for (let at = start; at < start + count * entryBytes; at += entryBytes) {
    const tag = { offset: view.getUint32(at + 4), size: view.getUint32(at + 8) };
    if (tag.offset + tag.size > size)
      return damagedProfile(`tag ${toPrintable(text(at))} inside it`, "one beyond its end");
    if (!tags.has(text(at))) tags.set(text(at), tag);
  }
  const model = modelOf(space, (name) => tags.has(name));
  if (!model || (model === "matrix" && connection !== "XYZ "))
    return damagedProfile("the tags that say how colours are meant", "a profile without");
  return { space, model, lab: connection === "Lab ", size, tags };
}

/** Bytes of all tags of a profile that is no table. */
const maxTagBytes = 128 * 1024;

/** The bytes of the tags that a model other than a table needs. */
export async function readTags(
  { tags }: Profile,
  model: keyof typeof shapers,
  bytes: ByteSource,
): Promise<ReadonlyMap<string, Uint8Array> | Unusable> {
  const found = new Map<string, Uint8Array>();
  let left = maxTagBytes;
  const seen = new Map<number, Uint8Array>();
  for (const name of shapers[model]) {
    const tag = tags.get(name)!;
    let body = seen.get(tag.offset);
    if (!body || body.length < tag.size) {
      if (tag.size > left) return damagedProfile(`curves of at most ${maxTagBytes} bytes`, "longer ones");
      left -= tag.size;
      body = await bytes.read(tag.offset, tag.size);
      seen.set(tag.offset, body);
    }
    found.set(name, body.subarray(0, tag.size));
  }
  return found;
}

/** Replaces characters that a header field or a log line may not contain. */
export const toPrintable = (text: string) => text.replace(/[^\x20-\x7e]/g, "?").trim();

/** Returns the reason why a damaged profile is not used. */
export const damagedProfile = (expected: string, received: string): Unusable => ({
  ignored: `it is damaged: expected ${expected}, received ${received}`,
});
