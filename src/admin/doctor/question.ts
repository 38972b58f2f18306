// What an operator asks the doctor in its one field, recognised by its form: an address, an image, or logins.

import { parseUrl } from "../../base/index.ts";
import {
  checkIdentifier,
  identifierOf,
  imageMounts,
  type Mount,
  presentationPaths,
  presentationRoot,
  splitImagePath,
  viewPath,
} from "../../iiif/index.ts";
import { viewFolder } from "../addresses.ts";

export interface Question {
  /** The public URL that an address of this service implies, for a comparison. */
  readonly seen?: string;
  /** Identifier of an image to look at. */
  readonly image?: string;
  /** Logins to try: as a viewer of which origin, and for which image; "" for the defaults. */
  readonly logins?: { readonly origin: string; readonly identifier: string };
}

interface Surface {
  /** Begins and ends with a slash. */
  readonly prefix: string;
  /** Returns the identifier in the rest of a path; may throw ServiceError. */
  readonly read: (rest: string) => string;
}

/**
 * Recognises a question: `login`, optionally with the origin of a viewer and an identifier; an address of
 * this service, of an image or of a page; everything else is an identifier. Throws ServiceError for
 * impossible identifiers.
 */
export function questionOf(text: string, base: string, aliases: readonly Mount[]): Question {
  const [first = "", ...words] = text.split(/\s+/);
  if (/^log-?ins?$/i.test(first)) {
    const isOrigin = (word: string) => /^https?:\/\/[^/]+\/?$/i.test(word);
    return {
      logins: {
        origin: words.find(isOrigin) ?? "",
        identifier: words.filter((word) => !isOrigin(word)).join(" "),
      },
    };
  }
  const url = parseUrl(text);
  if (!url || !/^https?:$/.test(url.protocol)) return { image: checkIdentifier(text) };
  for (const { prefix, read } of surfacesOf(aliases)) {
    const at = url.pathname.indexOf(prefix);
    if (at < 0) continue;
    const image = read(url.pathname.slice(at + prefix.length));
    const seen = url.origin + url.pathname.slice(0, at);
    return { seen, ...(image !== "" && { image }) };
  }
  const page = url.pathname.indexOf("/admin");
  if (page >= 0) return { seen: url.origin + url.pathname.slice(0, page) };
  if (url.pathname === "/") return { seen: url.origin };
  if (text.startsWith(`${base}/`)) return { seen: base };
  // Masters of web servers may have addresses as identifiers.
  return { image: checkIdentifier(text) };
}

const surfacesOf = (aliases: readonly Mount[]): readonly Surface[] => [
  ...[2, 3].map((version) => ({
    prefix: `${presentationRoot[version as 2 | 3]}/`,
    read: (rest: string) => presentationPaths(rest)[0]?.of ?? "",
  })),
  ...imageMounts(aliases).map(({ prefix }) => ({
    prefix,
    read: (rest: string) => splitImagePath(rest).identifier,
  })),
  { prefix: viewFolder, read: identifierOf },
  { prefix: `${viewPath}/`, read: identifierOf },
];
