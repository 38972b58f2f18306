// The tool browse: the folders and images of the sources that the caller has access to.

import { z } from "zod";
import { ServiceError } from "../../../base/index.ts";
import {
  type BrowseRequest,
  browseFolder,
  type FolderPage,
  type Position,
} from "../../manifests/browse/browse.ts";
import { maxSearchLength, wordsOf } from "../../manifests/search/words.ts";
import type { Service } from "../../service.ts";
import { callerOf, type RequestContext } from "../http/context.ts";
import { acceptedLanguages, textForRanges } from "../http/representation/language.ts";
import { type Asked, readAsked } from "./asked.ts";
import { describeFolder } from "./description.ts";
import { browseParts, imageInstead, isNotFound } from "./kinds.ts";
import { manifestLink } from "./links.ts";
import type { CallToolResult, Tool } from "./protocol.ts";
import { folderDenial } from "./results.ts";

const input = z.strictObject({
  id: z
    .string()
    .max(4096)
    .default("")
    .describe(
      "Identifier of a folder as browse lists it, such as maps/berlin, or an address of its collection, manifest or page on this server. Leave it out for the top folder.",
    ),
  search: z
    .string()
    .max(maxSearchLength)
    .default("")
    .describe(
      "Words to look for in that folder and all below it, in the names of files and folders, labels and metadata. An entry matches if it and the folders above it contain all of them.",
    ),
  cursor: z
    .string()
    .max(4200)
    .optional()
    .describe("next_cursor of the previous page, for a folder that takes several pages."),
});

/** Returns the tool for a request. */
export function browseTool(c: RequestContext, service: Service): Tool<z.output<typeof input>> {
  return {
    name: "browse",
    title: "Browse folders and images",
    description:
      "Lists the folders and images in a folder, or those that a search finds in and below it, up to 50 at a time, as JSON with their identifiers and labels, and of the folder its summary, metadata, rights and table of contents: browse folders, and pass identifiers of images to get_image_info and get_region.",
    input,
    async run({ id, search: text, cursor }) {
      const asked = await readAsked(c, service, id);
      const after = cursor === undefined || cursor === "" ? undefined : positionOf(cursor);
      const words = wordsOf(text);
      const { identifier, page, instead } = await browseAmong(c, service, asked, { words, after });
      if (!page) return instead;
      if ("refused" in page) return folderDenial(c, service, identifier, page.refused);
      const { next, found, ...listed } = page;
      const labels = labelsFor(c, listed.labels);
      const incomplete = found && lackOf(found);
      const facts = {
        id: listed.identifier,
        name: labels[listed.identifier] ?? listed.name,
        ...(listed.parent !== undefined && { parent: listed.parent }),
        ...(!found && !after && (await describeFolder(c, service, listed.identifier, rangesOf(c)))),
        folders: listed.folders,
        images: listed.images,
        ...(Object.keys(labels).length > 0 && { labels }),
        ...(incomplete && { incomplete }),
        ...(next && { next_cursor: cursorOf(next) }),
      };
      return {
        content: [
          { type: "text", text: JSON.stringify(facts, null, 1) },
          ...manifestLink(c, service, listed.identifier, listed.name),
        ],
      };
    },
  };
}

/** A page, or the result for a client that named no folder. */
type Browsed = { readonly identifier: string } & (
  | { readonly page: Awaited<ReturnType<typeof browseFolder>>; readonly instead?: never }
  | { readonly page?: never; readonly instead: CallToolResult }
);

/** Browses the first of the identifiers that names a folder; the last if none does. */
async function browseAmong(
  c: RequestContext,
  service: Service,
  asked: Asked,
  list: Pick<BrowseRequest, "words" | "after">,
): Promise<Browsed> {
  for (const [at, identifier] of asked.identifiers.entries())
    try {
      const caller = callerOf(c, identifier);
      const page = await browseFolder(browseParts(service), { identifier, ...list, caller });
      if (!("refused" in page) || at === asked.identifiers.length - 1) return { identifier, page };
    } catch (error) {
      if (!isNotFound(error)) throw error;
      if (at < asked.identifiers.length - 1) continue;
      const image = await imageInstead(c, service, asked);
      if (image) return { identifier, instead: image };
      throw asked.refusal ?? error;
    }
  throw new Error("Expected an identifier at least, received none.");
}

const rangesOf = (c: RequestContext) => [
  ...acceptedLanguages(c.req.raw.headers.get("Accept-Language")),
  "en",
];

/** Returns labels in a language that the client accepts, by identifier. */
function labelsFor(c: RequestContext, labels: FolderPage["labels"]): Readonly<Record<string, string>> {
  const ranges = rangesOf(c);
  const texts = [...labels].map(([identifier, label]) => [identifier, textForRanges(label, ranges)?.text]);
  return Object.fromEntries(texts.filter(([, text]) => text !== undefined));
}

/** Explains to the model why a search may be incomplete. */
function lackOf({ lack, stoppedAt, isCut }: NonNullable<FolderPage["found"]>): string | undefined {
  if (lack === "reading") return "The folders are still being read. Search again in a moment for the rest.";
  if (lack === "unreadable") return "Some folders could not be read.";
  if (isCut) return "There are more matches. Add a word, or search in one of the folders.";
  if (stoppedAt !== undefined)
    return `The search stopped at the folder "${stoppedAt}". Search in single folders.`;
  return undefined;
}

const cursorOf = ({ kind, identifier, skipped }: Position) => `${kind}.${skipped}.${identifier}`;

function positionOf(cursor: string): Position {
  const [, kind, skipped, identifier] = /^(folder|image)\.(\d{1,9})\.(.*)$/s.exec(cursor) ?? [];
  if (kind === undefined || identifier === undefined)
    throw new ServiceError(
      "bad-request",
      "Expected the next_cursor of an earlier page as the cursor; received something else. Leave it out to start again.",
      { code: "invalid_cursor" },
    );
  return { kind: kind as Position["kind"], identifier, skipped: Number(skipped) };
}
