// The text of a manifest that its caller may search: of the canvases that its document shows, in their order.

import {
  identifierOf,
  objectsOf,
  pieceAddress,
  presentationRoot,
  type Resource,
  searchServices,
} from "../../../iiif/index.ts";
import type { TextPage } from "../texts/text-index.ts";
import type { ReadText } from "../texts/text-search.ts";
import type { CanvasTexts, Made, ReadableText } from "./making.ts";

/** Returns the text of a manifest; it has no pages if there is none that the caller may read. */
export async function searchedText(made: Made): Promise<ReadText> {
  const { texts } = made;
  if (!texts) return { pages: [], canvasOf: async () => undefined };
  const pages: (TextPage & { readonly position: number })[] = [];
  const numbers = new Map<string, number>();
  for await (const some of shownTexts(made, texts))
    for (const { position, number, identifier, accessClass, files } of some) {
      // An image may be on several canvases.
      const key = numbers.has(identifier) ? `${identifier}\n${number}` : identifier;
      numbers.set(key, number);
      pages.push({ key, accessClass, files, position });
    }
  pages.sort((one, other) => one.position - other.position);
  return { pages, canvasOf: async (key) => texts.at(numbers.get(key) ?? 0) };
}

/** Returns a manifest with the services that search its text, if there is any that its caller may read. */
export async function withSearch(made: Made, base: string): Promise<Made> {
  const { document, texts } = made;
  if (!texts || document.type !== "Manifest" || !(await hasText(made, texts))) return made;
  const own = objectsOf(document.service);
  if (own.some(isSearch)) return made;
  const { items, ...head } = document;
  const service = [...searchServices(base, identifierOfDocument(document, base)), ...own];
  return { ...made, document: { ...head, service, items } };
}

/** Returns the identifier of a document of this service. */
export const identifierOfDocument = ({ id }: Resource, base: string): string =>
  identifierOf(String(id).slice(base.length + presentationRoot[3].length));

const isSearch = ({ type, "@type": type2, profile }: Resource) =>
  [type, type2, profile].some((name) => /^SearchService\d$|\/api\/search\/\d/.test(String(name)));

async function hasText(made: Made, texts: CanvasTexts): Promise<boolean> {
  for await (const some of shownTexts(made, texts)) if (some.length > 0) return true;
  return false;
}

/** The texts of the canvases that a document shows, with their positions in it from 0. */
export async function* shownTexts(
  { document, canvases }: Made,
  texts: CanvasTexts,
): AsyncGenerator<readonly (ReadableText & { readonly position: number })[]> {
  const id = String(document.id);
  // Canvases that are made on demand are all shown.
  const positions = canvases
    ? undefined
    : new Map(objectsOf(document.items).map((canvas, at) => [canvas.id, at]));
  for await (const some of texts.readable())
    yield some.flatMap((text) => {
      const { number, id: own = pieceAddress(id, { kind: "canvas", number }) } = text;
      const position = canvases ? number - 1 : positions?.get(own);
      return position === undefined ? [] : [{ ...text, position }];
    });
}
