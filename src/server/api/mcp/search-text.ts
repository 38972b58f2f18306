// The tool search_text: pages whose text has some words, with their lines and where they are on the image.

import { z } from "zod";
import { ServiceError } from "../../../base/index.ts";
import { imageAddress, type Match, mainPrefix, viewOfDocument } from "../../../iiif/index.ts";
import { maxSearchLength } from "../../manifests/search/words.ts";
import type { FoundPage } from "../../manifests/source-texts/found-pages.ts";
import type { FoundTexts } from "../../manifests/source-texts/source-text-search.ts";
import type { Service } from "../../service.ts";
import type { RequestContext } from "../http/context.ts";
import { searchTexts } from "../http/found-texts.ts";
import { acceptedLanguages, textForRanges } from "../http/representation/language.ts";
import { readAsked } from "./asked.ts";
import type { CallToolResult, Tool } from "./protocol.ts";

/** Pages of a result. */
const pagesOfResult = 20;

const input = z.strictObject({
  query: z
    .string()
    .min(1)
    .max(maxSearchLength)
    .describe(
      'Words that a page has to have, all of them. "…" around several finds them next to each other, * at the end of one finds words that begin like it. Case and accents do not matter.',
    ),
  id: z
    .string()
    .max(4096)
    .default("")
    .describe("Identifier of a folder to search in with all below it. Leave it out to search everywhere."),
  cursor: z
    .string()
    .max(20)
    .optional()
    .describe("next_cursor of the previous result, if there are more pages."),
});

/** Returns the tool for a request. */
export function searchTextTool(c: RequestContext, service: Service): Tool<z.output<typeof input>> {
  return {
    name: "search_text",
    title: "Search in the text of pages",
    description: `Finds words in the text of pages that was recognised before, up to ${pagesOfResult} pages at a time, in the order of folders and pages, as JSON: of each the identifier of its image, and its lines with the words, their region and the address of a picture of it. Pass image and region to get_region to look closer.`,
    input,
    async run({ query, id, cursor }) {
      const { identifiers } = await readAsked(c, service, id);
      const from = cursor === undefined || cursor === "" ? 0 : indexOf(cursor);
      let found: FoundTexts | undefined;
      for (const identifier of identifiers) {
        found = await searchTexts(c, service, { identifier, query, from, count: pagesOfResult });
        if (found && found.pages.length > 0) break;
      }
      return found ? resultOf(c, found) : noTexts;
    },
  };
}

const noTexts: CallToolResult = {
  content: [{ type: "text", text: "No texts are indexed here. Use browse to search names and labels." }],
};

function resultOf(c: RequestContext, found: FoundTexts): CallToolResult {
  const incomplete = lackOf(found);
  const facts = {
    ...(found.total !== undefined && { total: found.total }),
    pages: found.pages.map((page) => pageFacts(c, page)),
    ...(incomplete !== undefined && { incomplete }),
    ...(found.next !== undefined && { next_cursor: String(found.next) }),
  };
  return { content: [{ type: "text", text: JSON.stringify(facts, null, 1) }] };
}

function pageFacts(c: RequestContext, { image, document, canvas, matches }: FoundPage) {
  const base = c.get("base");
  const ranges = [...acceptedLanguages(c.req.raw.headers.get("Accept-Language")), "en"];
  return {
    image,
    document: textForRanges(document.label, ranges)?.text,
    page: textForRanges(canvas.label, ranges)?.text,
    view: viewOfDocument(base, canvas.id),
    manifest: document.id,
    lines: matches.map((match) => lineFacts(imageAddress(base + mainPrefix[3], image), match)),
  };
}

function lineFacts(address: string, { parts }: Match) {
  const { box } = parts[0];
  return {
    text: parts.map(({ before, exact, after }) => before + exact + after).join(" "),
    found: parts.map(({ exact }) => exact).join(" "),
    ...(box && { region: box.join(","), picture: `${address}/${box.join(",")}/max/0/default.jpg` }),
  };
}

/** Explains to the model why pages may be missing. */
function lackOf({ lack, isCapped }: FoundTexts): string | undefined {
  if (lack === "reading") return "The texts are still being indexed. Search again in a moment for the rest.";
  if (lack === "unreadable") return "Some texts could not be read.";
  return isCapped ? "There are more pages than are counted. Add a word, or search in a folder." : undefined;
}

function indexOf(cursor: string): number {
  if (/^\d{1,9}$/.test(cursor)) return Number(cursor);
  throw new ServiceError(
    "bad-request",
    "Expected the next_cursor of an earlier result as the cursor; received something else. Leave it out to start again.",
    { code: "invalid_cursor" },
  );
}
