// The pages of a file, as manifests show them.

import { splitPage } from "../../iiif/index.ts";
import { formats, type ImageHeader } from "../../imaging/index.ts";
import type { Master } from "../images/describe.ts";
import { shownPages } from "../manifests/folders/image-facts.ts";

/**
 * Returns the identifiers of the pages of a file that manifests show: its own if it has one page, or if it
 * names a page. `pages`: the setting `presentation.pages`.
 */
export function pagesOf(
  { identifier, page }: Pick<Master, "identifier" | "page">,
  { format, pages }: Pick<ImageHeader, "format" | "pages">,
  setting: "all" | "first",
): readonly string[] {
  const isSheets = setting === "all" && formats[format]?.read?.hasSheets && pages > 1;
  if (!isSheets || splitPage(identifier)?.page === page) return [identifier];
  return Array.from({ length: shownPages({ pages, inFolders: true }) }, (_, at) => `${identifier};${at + 1}`);
}
