// Compares the texts of a collection with its images.

import { createLru, type Finding, ServiceError, type Size } from "../../base/index.ts";
import { asShown, shownSize } from "../../imaging/index.ts";
import {
  type Folder,
  type FolderLocation,
  type Folders,
  type FolderTexts,
  folderTexts,
  locationOf,
  type PageTexts,
  type Sources,
  splitLocation,
  type TextFile,
} from "../../server/index.ts";
import { type PageFit, type PageText, pageFit, TextFileError } from "../../text/index.ts";
import type { DiagnosisFacts } from "../image/known.ts";

export interface SurveyedTexts {
  readonly sources: Sources;
  readonly folders: Folders;
  readonly texts: Pick<PageTexts, "read">;
  readonly signal: AbortSignal;
}

/** Folders whose texts are remembered: more than are walked through at the same time. */
const maxFolders = 64;

/** Finds what is wrong with the texts of images, folder by folder. */
export class TextSurvey {
  readonly #parts: SurveyedTexts;
  readonly #folders = createLru<string, Promise<FolderTexts | undefined>>(maxFolders);

  constructor(parts: SurveyedTexts) {
    this.#parts = parts;
  }

  /** Looks for the texts of a folder, before its images are asked about. */
  enter(location: FolderLocation, folder: Folder): void {
    const { folders, signal } = this.#parts;
    const find = (inner: FolderLocation) => folders.find(inner.source, inner.key, signal);
    // A folder that cannot be listed is reported by the walk.
    const found = folderTexts(find, location, folder).catch(() => undefined);
    this.#folders.set(keyOf(location), found, 1);
  }

  /** Returns what is wrong with the text of an image, one finding for each kind of fault. */
  async findingsOf({ identifier, header, settings }: DiagnosisFacts): Promise<readonly Finding[]> {
    const { folder, name } = splitLocation(locationOf(this.#parts.sources, identifier));
    const texts = await this.#folders.get(keyOf(folder));
    if (!texts || texts.isEmpty || !header) return [];
    const found = new Map<string | undefined, Finding>();
    const { orientation } = asShown(header, settings.policy);
    const shown = { ...shownSize(header, settings.policy), orientation };
    const pages = header.pages > 1 ? header.pages : 0;
    for (let page = Math.min(1, pages); page <= pages; page++) {
      const files = texts.filesOf(page > 0 ? { name, page } : { name });
      // Further pages have sizes of their own, which the header of the file does not say.
      const finding = await this.#pageFinding(files, page <= 1 ? shown : undefined);
      if (finding && !found.has(finding.code))
        found.set(finding.code, page > 0 ? { ...finding, text: `Page ${page}: ${finding.text}` } : finding);
    }
    const further = pages > 0 && texts.filesOf({ name, page: pages + 1 }).some(({ isShared }) => !isShared);
    return [...found.values(), ...(further ? [furtherTexts(pages)] : [])];
  }

  async #pageFinding(files: readonly TextFile[], shown: Shown | undefined): Promise<Finding | undefined> {
    if (files.length === 0) return missingText;
    try {
      return findingOf(await this.#parts.texts.read(files), shown);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const code = error instanceof TextFileError ? error.code : "text_unreadable";
      return { level: "problem", code, text: error.message };
    }
  }
}

const keyOf = ({ source, key }: FolderLocation) => `${source.name}\0${key}`;

/** The size of an image as canvases show it, and the orientation that it has been turned by. */
interface Shown extends Size {
  readonly orientation: number;
}

function findingOf(page: PageText | undefined, shown: Shown | undefined): Finding | undefined {
  if (!page) return missingText;
  if (page.lines.every(({ words }) => words.length === 0)) return emptyText;
  if (!shown) return undefined;
  const { width, height } = shown;
  const fit = pageFit(page, width, height, shown);
  const fault = faultsOfFit[fit];
  const sizes = `${page.width} × ${page.height} pixels in the text, ${width} × ${height} in the image`;
  return fault && { level: "problem", code: `text_${fit}`, ...fault, text: `${fault.text}: ${sizes}.` };
}

/** What is wrong with a page that does not fit its image. */
const faultsOfFit: Readonly<Partial<Record<PageFit, { readonly text: string; readonly advice: string }>>> = {
  ratio: {
    text: "The text is of a picture of another shape, so words would be marked in the wrong place",
    advice: "Check that the text belongs to this image, or recognize the text of the image again.",
  },
  swapped: {
    text: "The image was turned after its text was recognized, so no words can be marked",
    advice: "Recognize the text of the image again, as it is now.",
  },
};

const missingText: Finding = {
  level: "note",
  code: "text_missing",
  text: "Other images of the folder have a text, and this one has none.",
  advice: "Recognize its text, or check the name of the file: that of the image with another ending.",
};

const emptyText: Finding = {
  level: "note",
  code: "text_empty",
  text: "The text has no words. That is usual for a blank page.",
};

const furtherTexts = (pages: number): Finding => ({
  level: "problem",
  code: "text_pages",
  text: `There are more files of text than the ${pages} pages of the file.`,
  advice: "Check that the last number in the name of each is the number of its page.",
});
