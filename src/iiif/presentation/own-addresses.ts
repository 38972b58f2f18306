// What an address in a document names, if it is one of this service. Documents may be written for another
// host or another path of it, so only the part that begins with the service's own path counts.

import { parseUrl, ServiceError } from "../../base/index.ts";
import { splitImagePath } from "../image/path.ts";
import { type PresentationPath, presentationPaths, presentationRoot } from "./mounts.ts";

export interface OwnNames {
  /** Identifier of an image. */
  readonly image?: string;
  /** Readings of the address as one of a document or of a part of one; empty if it is none. */
  readonly documents: readonly PresentationPath[];
}

const nothing: OwnNames = { documents: [] };

/** `prefixes`: paths of the Image API, each with / at both ends. */
export function ownNames(address: string, prefixes: readonly string[]): OwnNames {
  const path = parseUrl(address, "http://localhost")?.pathname.replace(/\/{2,}/g, "/");
  if (path === undefined) return nothing;
  try {
    for (const root of Object.values(presentationRoot)) {
      const at = `${path}/`.indexOf(`${root}/`);
      if (at >= 0) return { documents: presentationPaths(path.slice(at + root.length)) };
    }
    const prefix = prefixes.find((each) => path.includes(each));
    if (prefix === undefined) return nothing;
    const { identifier } = splitImagePath(path.slice(path.indexOf(prefix) + prefix.length));
    return { image: identifier, documents: [] };
  } catch (error) {
    if (error instanceof ServiceError) return nothing;
    throw error;
  }
}
