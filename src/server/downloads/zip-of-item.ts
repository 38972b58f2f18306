// The masters of a planned item as a ZIP archive: stored, with ZIP64 where it is needed.

import { makeZip, predictLength } from "client-zip";
import { cancelledError } from "../../base/index.ts";
import { fileStem } from "../../iiif/index.ts";
import type { Caller } from "../access/access.ts";
import type { RenderParts } from "../images/render.ts";
import { sectionOf } from "./masters.ts";
import { bytesFrom, type Section } from "./pieces.ts";
import { isStored, type Plan, type PlannedPage, type StoredPage } from "./plan.ts";

interface Member {
  readonly name: string;
  readonly page: StoredPage;
}

/** Time of a member whose source has none: the first that ZIP knows. */
const noTime = new Date(1980, 0, 1);

/** Returns an archive as a section of a file, which is made again from its beginning for each reader. */
export function zipOfItem(images: RenderParts, { item, pages }: Plan, caller: Caller): Section {
  const members = membersOf(fileStem(item.title) || "item", pages);
  const facts = members.map(({ name, page: { image } }) => ({
    name,
    size: image.size,
    lastModified: image.modified ?? noTime,
  }));
  const entries = async function* () {
    for (const [at, { page }] of members.entries()) {
      const { identifier = "", image } = page;
      const ranges = [{ offset: 0, length: image.size }];
      const input = sectionOf(images, { ...caller, identifier }, image.validator, { ranges }).read(0);
      yield {
        ...(facts[at] as (typeof facts)[number]),
        input: input as AsyncIterable<Uint8Array<ArrayBuffer>>,
      };
    }
  };
  return {
    length: Number(predictLength(facts)),
    read: (from) => bytesFrom(from, partsOf(makeZip(entries()), caller.signal)),
  };
}

/** Yields the parts of an archive. Leaving the loop ends it. */
async function* partsOf(
  archive: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  const reader = archive.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      // Before a part from the middle nothing is sent, so that only this tells that the client has left.
      if (signal?.aborted) throw cancelledError(signal);
      yield next.value;
    }
  } finally {
    // client-zip 2.5.1 ends by an error in its own generator.
    await reader.cancel().catch(() => {});
  }
}

/** Returns each file once, under the number and the label of the first of its pages. */
function membersOf(folder: string, pages: readonly PlannedPage[]): readonly Member[] {
  const digits = String(pages.length).length;
  const seen = new Set<string>();
  return pages.flatMap((page, at) => {
    if (!isStored(page) || seen.has(page.tag)) return [];
    seen.add(page.tag);
    const file = page.name.replace(/;\d+$/, "");
    const extension = /\.[A-Za-z0-9]{1,8}$/.exec(file)?.[0] ?? "";
    const isPart = file !== page.name;
    const label = fileStem(isPart ? file : page.label);
    const stem = label.toLowerCase().endsWith(extension.toLowerCase())
      ? label.slice(0, label.length - extension.length)
      : label;
    const number = String(at + 1).padStart(digits, "0");
    return [{ name: `${folder}/${number} ${stem}`.trimEnd() + extension, page }];
  });
}
