// The text that an image file has of its pages, such as a PDF: read by a job, as records like those of other
// files of text.

import { asServiceError, ImagingError } from "../../../base/index.ts";
import type { StoredWord } from "../../../imaging/index.ts";
import {
  type Box,
  encodePage,
  type FileRecords,
  type Line,
  type PageText,
  type Word,
} from "../../../text/index.ts";
import { settledVersion } from "../../images/cache-keys.ts";
import { inspect, needsOf } from "../../images/describe.ts";
import type { RenderParts } from "../../images/render.ts";
import type { SourceImage } from "../../sources/source.ts";
import type { TextFile } from "./text-files.ts";

/**
 * Reads the page of an image that is opened. A file that is damaged, encrypted or too large has a failure
 * instead. Throws `busy` and what sources throw.
 */
export type ReadOwnText = (file: TextFile, image: SourceImage) => Promise<FileRecords>;

const work = { kind: "words", ms: 20 } as const;

/** Kinds of errors that say something about the file, and will again. */
const ofFile: ReadonlySet<string> = new Set(["decode", "unsupported", "too-large", "not-found"]);

/** Creates the reader over the codecs and the workers of images. */
export function ownTextReader(
  parts: Pick<RenderParts, "codecs" | "info" | "probes" | "masters" | "admission" | "pool" | "timeoutMs">,
): ReadOwnText {
  return async ({ location: { source, key }, name, page: index }, image) => {
    const page = index + 1;
    const master = { identifier: name, source, key, page, image, validator: image.validator };
    try {
      const header = await inspect(parts, master);
      const { words } = parts.codecs.decoder(header.format);
      const size = image.bytes.size ?? Number.POSITIVE_INFINITY;
      if (!words || header.unsupported) return { format: "other", pages: [] };
      const memory = words.memory(header, size);
      if (size > words.maxBytes || !parts.admission.allows(memory)) return tooLarge(name, words.maxBytes);
      const version = settledVersion(master, image.modified, Date.now());
      const task = { kind: "words", header, page, version } as const;
      const { bytes } = await parts.admission.run(needsOf(master, memory, work), undefined, (permit) =>
        parts.pool.run(
          { task, bytes: image.bytes, file: image.file, memory },
          { timeoutMs: parts.timeoutMs, permit },
        ),
      );
      const record = encodePage(pageOf(JSON.parse(new TextDecoder().decode(bytes)), header));
      return { format: "plain", pages: [{ index, record }] };
    } catch (error) {
      const known = error instanceof ImagingError ? asServiceError(error) : error;
      if (!(known instanceof Error) || !("kind" in known) || !ofFile.has(String(known.kind))) throw known;
      return {
        failure: { code: "text_damaged", message: `The text of ${name} cannot be read: ${known.message}` },
      };
    }
  };
}

const tooLarge = (name: string, limit: number): FileRecords => ({
  failure: {
    code: "text_too_large",
    message: `The text of ${name} is not read, since the file is larger than ${limit} bytes or than the memory budget allows; put a file of text next to it.`,
  },
});

type Shown = { readonly width: number; readonly height: number; readonly orientation: number };

/** Returns the text of a page in pixels of its canvas: the words that lie on what the page shows. */
function pageOf(lines: readonly (readonly StoredWord[])[], header: Shown): PageText {
  const [width, height] =
    header.orientation > 4 ? [header.height, header.width] : [header.width, header.height];
  const wordsOf = ({ text, box: [x, y, w, h] }: StoredWord): Word[] => {
    const box = boxOf([x, x + w].map(clipTo(width)), [y, y + h].map(clipTo(height)));
    return box ? [{ text, box }] : [];
  };
  return {
    width,
    height,
    lines: lines.flatMap((stored): Line[] => {
      const words = stored.flatMap(wordsOf);
      if (words.length === 0) return [];
      const boxes = words.flatMap(({ box }) => (box ? [box] : []));
      const box = boxOf(
        boxes.flatMap(([x, , w]) => [x, x + w]),
        boxes.flatMap(([, y, , h]) => [y, y + h]),
      );
      return [{ block: 0, words, ...(box && { box }) }];
    }),
  };
}

const clipTo = (end: number) => (edge: number) => Math.min(Math.max(0, edge), end);

/** Returns the box around edges, or undefined if nothing is between them. */
function boxOf(xs: readonly number[], ys: readonly number[]): Box | undefined {
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  const [width, height] = [Math.max(...xs) - x, Math.max(...ys) - y];
  return width > 0 && height > 0 ? [x, y, width, height] : undefined;
}
