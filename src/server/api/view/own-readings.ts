// What an address in a content state names, if it is one of this service.

import {
  encodeIdentifier,
  type OwnLink,
  type PresentationPath,
  presentationPaths,
  presentationRoot,
  type StateRegion as Region,
  readOwnLink,
} from "../../../iiif/index.ts";
import type { Service } from "../../service.ts";
import type { RequestContext } from "../http/context.ts";
import { ownAddresses } from "../http/own-addresses.ts";

/** An address of this service. */
export interface OwnAddress {
  /** Readings as a document or a part of one; absent if there are none at such addresses. */
  readonly readings?: readonly PresentationPath[];
  /** The address as an id of version 3, if it is one of a document. */
  readonly id?: string;
  /** Region that the address itself names. */
  readonly region?: Region;
}

/**
 * Reads an address; undefined for one of another site. `part`: region that the state names there. Throws as
 * {@link presentationPaths} does.
 */
export function ownAddress(
  c: RequestContext,
  service: Service,
  address: string,
  part?: Region,
): OwnAddress | undefined {
  const link = readOwnLink(address, ownAddresses(c, service));
  if (!link) return undefined;
  const path = pathOf(link, part);
  if (path === undefined) return {};
  const id = link.names === "document" ? { id: c.get("base") + presentationRoot[3] + path } : {};
  const region = "region" in link && link.region ? { region: link.region } : {};
  return { readings: presentationPaths(path), ...id, ...region };
}

/** Returns the path of the document of a link, below the root of the Presentation API. */
function pathOf(link: OwnLink, part: Region | undefined): string | undefined {
  if (link.names === "document") return link.path;
  if (link.names !== "image") return undefined;
  const image = link.identifier.split("/").map(encodeIdentifier).join("/");
  // A region is one of the image's only canvas.
  return link.region || part ? `/${image}/canvas/1` : `/${image}`;
}
