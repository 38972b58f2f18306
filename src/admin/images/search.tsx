// Searches for images, by identifier or by part of a name, and their results.

import { countText } from "../../base/index.ts";
import { maxSearchLength, type OperatorFolder, type RequestContext } from "../../server/index.ts";
import { folderPath } from "../addresses.ts";
import { href } from "../admin.ts";

interface Props {
  readonly c: RequestContext;
}

/**
 * For sources without listings: opens the image's page by its identifier. The page's script turns it into an
 * address.
 */
export function ByIdentifier({ c }: Props) {
  return (
    <form class="search" action={href(c, "/admin/view")} method="get">
      <input
        type="search"
        name="identifier"
        required
        autocomplete="off"
        aria-label="Identifier of an image"
        placeholder="Identifier of an image"
      />
      <button type="submit">Open</button>
    </form>
  );
}

/** Searches below a folder. */
export function SearchForm({
  c,
  folder,
  search,
}: Props & { readonly folder: OperatorFolder; readonly search: string }) {
  const name = folder.trail.at(-1)?.name;
  return (
    <search>
      <form class="search" action={href(c, folderPath(folder.identifier))} method="get">
        <input
          type="search"
          name="q"
          value={search}
          maxlength={maxSearchLength}
          aria-label={name === undefined ? "Search by name" : `Search by name in ${name}`}
          placeholder={name === undefined ? "Search by name" : `Search in ${name}`}
        />
        <button type="submit">Search</button>
      </form>
    </search>
  );
}

/** Number of entries of a folder, or of names found below it, and how far the search has come. */
export function Found({ folder, search }: { readonly folder: OperatorFolder; readonly search: string }) {
  const { total, counts, found } = folder;
  if (!found) {
    const parts = counts
      ? [
          countText(counts.folder, "folder"),
          countText(counts.image, "image"),
          countText(counts.other, "other file"),
        ].filter((part) => part !== "")
      : [];
    return <p class="quiet">{parts.join(", ") || "This folder is empty."}</p>;
  }
  const names =
    total === 0
      ? `Nothing found for “${search}”.`
      : `${total.toLocaleString("en")} ${total === 1 ? "entry" : "entries"} found for “${search}”.`;
  return (
    <p role="status">
      {names}
      {found.isCut && " There are more: add a word to find fewer."}
      {found.stoppedAt !== undefined &&
        ` The search stopped before it reached the end${found.stoppedAt && `, at ${found.stoppedAt}`}. To find the rest, open a folder and search in it.`}
      {found.lack === "reading" &&
        " These results are not complete: the folders are being read. Search again in a moment to find the rest."}
      {found.lack === "unreadable" && " These results are not complete: some folders could not be read."}
    </p>
  );
}

/** A count with its noun; empty for zero. */
