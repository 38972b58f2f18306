// ICC profiles as far as it must be known whether and how they can be used (ICC.1:2001-04 and ICC.1:2022: 7.2 header, 7.3 tags).

import type { ByteSource } from "../lib/byte-source.ts";

/** What the samples of a picture may be, with a profile for it. */
export type DeviceSpace = "gray" | "rgb" | "cmyk";

/** `matrix`: a curve for each of three and a matrix; `gray`: one curve; `table`: anything else, by its table to Lab or XYZ. */
export type Model = "matrix" | "gray" | "table";

export interface Profile {
  readonly space: DeviceSpace;
  readonly model: Model;
  /** Of the profile connection space. */
  readonly lab: boolean;
  /** Length in bytes, as its header says. */
  readonly size: number;
  readonly tags: ReadonlyMap<string, { readonly offset: number; readonly size: number }>;
}

/** Why a profile is not used, in words for people. */
export interface Unusable {
  readonly ignored: string;
}

const headerBytes = 128;
const entryBytes = 12;
const mostTags = 100;
/** Steps of multiProcessElementsType: profiles have a handful, and each is done for every node of a grid. */
const mostElements = 16;
/** Header and tag table at their longest. */
export const headBytes = headerBytes + 4 + mostTags * entryBytes;

const spaces: Readonly<Record<string, DeviceSpace>> = { GRAY: "gray", "RGB ": "rgb", CMYK: "cmyk" };
const channels: Readonly<Record<DeviceSpace, number>> = { gray: 1, rgb: 3, cmyk: 4 };
/** Classes of profiles that describe a device or a space (7.2.5). */
const classes = ["scnr", "mntr", "prtr", "spac"];
/** Tables of the device to the connection space, the colorimetric first, as LittleCMS looks for them. */
const tables = ["D2B1", "A2B1", "D2B0", "A2B0"];
const shapers = {
  matrix: ["rXYZ", "gXYZ", "bXYZ", "rTRC", "gTRC", "bTRC"],
  gray: ["kTRC"],
} as const;

/** Whether this is why a profile is not used. */
export function isUnusable(found: object): found is Unusable {
  return "ignored" in found;
}

/** Reads header and tag table from the first bytes of a profile of which `available` bytes are there. */
export function readHead(head: Uint8Array, available: number): Profile | Unusable {
  if (head.length < headerBytes + 4) return broken(`${headerBytes + 4} bytes or more`, `${head.length}`);
  const view = new DataView(head.buffer, head.byteOffset, head.length);
  const text = (at: number) => String.fromCharCode(...head.subarray(at, at + 4));
  if (text(36) !== "acsp") return broken("the signature acsp", "other bytes");
  const size = view.getUint32(0);
  if (size > available) return broken(`its ${size} bytes`, `${available}`);
  const version = view.getUint8(8);
  if (version !== 2 && version !== 4) return { ignored: `it is of version ${version}, not 2 or 4` };
  if (!classes.includes(text(12)))
    return { ignored: `it is of class ${printable(text(12))}, not of a device` };
  const space = spaces[text(16)];
  if (!space) return { ignored: `it is for ${printable(text(16))}, not for gray, RGB or CMYK` };
  const connection = text(20);
  if (connection !== "XYZ " && connection !== "Lab ")
    return broken("XYZ or Lab inside", printable(connection));

  const count = view.getUint32(headerBytes);
  if (count > mostTags) return broken(`at most ${mostTags} tags`, `${count}`);
  const start = headerBytes + 4;
  if (start + count * entryBytes > Math.min(size, head.length)) return broken(`${count} tags`, "fewer");
  const tags = new Map<string, { offset: number; size: number }>();
  for (let at = start; at < start + count * entryBytes; at += entryBytes) {
    const tag = { offset: view.getUint32(at + 4), size: view.getUint32(at + 8) };
    if (tag.offset + tag.size > size)
      return broken(`tag ${printable(text(at))} inside it`, "one beyond its end");
    if (!tags.has(text(at))) tags.set(text(at), tag);
  }
  const has = (name: string) => tags.has(name);
  const model = tables.some(has)
    ? "table"
    : space === "rgb" && shapers.matrix.every(has)
      ? "matrix"
      : space === "gray" && has("kTRC")
        ? "gray"
        : undefined;
  if (!model || (model === "matrix" && connection !== "XYZ "))
    return broken("the tags that say how colours are meant", "a profile without");
  return { space, model, lab: connection === "Lab ", size, tags };
}

/**
 * The bytes of the tags that the model needs; of a table only as much as tells whether it is one, and then checked.
 * Reads at most `most` bytes.
 */
export async function readTags(
  profile: Profile,
  bytes: ByteSource,
  most = 128 * 1024,
): Promise<ReadonlyMap<string, Uint8Array> | Unusable> {
  const found = new Map<string, Uint8Array>();
  const { model, tags } = profile;
  if (model === "table") return checkTable(profile, bytes);
  let left = most;
  const seen = new Map<number, Uint8Array>();
  for (const name of shapers[model]) {
    const tag = tags.get(name)!;
    let body = seen.get(tag.offset);
    if (!body || body.length < tag.size) {
      if (tag.size > left) return broken(`curves of at most ${most} bytes`, "longer ones");
      left -= tag.size;
      body = await bytes.read(tag.offset, tag.size);
      seen.set(tag.offset, body);
    }
    found.set(name, body.subarray(0, tag.size));
  }
  return found;
}

/** Whether the table that will be used has a known type, the right channels and room for its nodes (10.10 to 10.13). */
async function checkTable(
  profile: Profile,
  bytes: ByteSource,
): Promise<ReadonlyMap<string, Uint8Array> | Unusable> {
  const name = tables.find((each) => profile.tags.has(each))!;
  const tag = profile.tags.get(name)!;
  const head = await bytes.read(tag.offset, Math.min(tag.size, 64));
  if (head.length < 32 && bytes.size === undefined) return new Map(); // more than was looked at
  if (head.length < 32) return broken(`a table in ${name}`, `${head.length} bytes`);
  const type = String.fromCharCode(...head.subarray(0, 4));
  const inputs = channels[profile.space];
  const [found, outputs] = type === "mpet" ? [head[9], head[11]] : [head[8], head[9]];
  const sizes: Readonly<Record<string, number | undefined>> = {
    mft1: 48 + 256 * inputs + head[10]! ** inputs * 3 + 256 * 3,
    mft2: 52 + head[10]! ** inputs * 6,
    "mAB ": 32,
    mpet: 16,
  };
  const least = sizes[type];
  if (least === undefined) return broken(`a table in ${name}`, printable(type));
  if (found !== inputs || outputs !== 3) return broken(`${inputs} channels to 3`, `${found} to ${outputs}`);
  if (type === "mpet" && wordOf(head, 12) > mostElements)
    return broken(`at most ${mostElements} steps in ${name}`, `${wordOf(head, 12)}`);
  if (tag.size < least) return broken(`a table of ${least} bytes in ${name}`, `${tag.size}`);
  return new Map();
}

const wordOf = (bytes: Uint8Array, at: number) => new DataView(bytes.buffer, bytes.byteOffset).getUint32(at);

/** Characters that may stand in a header field and a log line. */
const printable = (text: string) => text.replace(/[^\x20-\x7e]/g, "?").trim();

const broken = (expected: string, received: string): Unusable => ({
  ignored: `it is damaged: expected ${expected}, received ${received}`,
});
