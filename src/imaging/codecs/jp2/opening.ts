// Opens a JPEG 2000 file to read regions of it: with the packet index of its sidecar, or from the file alone.

import { type ByteSource, createLru } from "../../../base/index.ts";
import { bytesOf, readEntry, writeEntry } from "../../sidecar/entry.ts";
import type { SidecarAccess } from "../codec.ts";
import { type Facts, readFacts } from "./header.ts";
import { loadIndex, saveIndex } from "./stream/index-entry.ts";
import { openStream, type Stream } from "./stream/stream.ts";
import type { TilePart } from "./stream/tile-parts.ts";

/** A file that is open for reads. */
export interface OpenJp2 {
  readonly facts: Facts;
  readonly stream: Stream;
}

/** Maximum of files whose headers and packets stay in memory. */
const maxOpen = 16;

/** Creates a function that opens files and caches the latest ones by the id of their sidecar. */
export function createOpening(): (bytes: ByteSource, access?: SidecarAccess) => Promise<OpenJp2> {
  const open = createLru<string, OpenJp2>(maxOpen);
  return async (bytes, access) => {
    const found = access && open.get(access.id);
    if (found) return found;
    const opened = await openFile(bytes, await indexOf(access));
    if (access) open.set(access.id, opened, 1);
    return opened;
  };
}

/** Opens a file. `index`: its tile-parts, if known. */
export async function openFile(bytes: ByteSource, index?: readonly TilePart[]): Promise<OpenJp2> {
  const facts = await readFacts(bytes);
  const { start, length } = facts.boxes.codestream;
  const end = length === undefined ? undefined : start + length;
  return { facts, stream: await openStream(bytes, facts.codestream, start, end, index) };
}

async function indexOf(access: SidecarAccess | undefined): Promise<readonly TilePart[] | undefined> {
  if (!access || access.absent) return undefined;
  const part = readEntry(await access.load())?.get("packetIndex");
  const saved = part && (await bytesOf(part));
  const index = saved && loadIndex(saved);
  if (!index) access.reportLoss?.();
  return index;
}

/**
 * Builds the sidecar of a file: the positions of its tile-parts and packets. Throws ImagingError `decode`,
 * `unsupported`, `source`.
 */
export async function buildPacketIndex(bytes: ByteSource): Promise<Uint8Array> {
  const { stream } = await openFile(bytes);
  return writeEntry([{ kind: "packetIndex", inside: [saveIndex(await stream.index(bytes))] }]);
}
