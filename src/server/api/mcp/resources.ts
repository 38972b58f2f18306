// Resources: the documents that results of tools link to, read through the protocol instead of by HTTP.

import { parseUrl, ServiceError } from "../../../base/index.ts";
import {
  documentAddress,
  imageAddress,
  mainPrefix,
  presentationPaths,
  readOwnLink,
} from "../../../iiif/index.ts";
import { informationOf } from "../../images/information.ts";
import { withMaster } from "../../images/open.ts";
import { canvasesOf } from "../../manifests/documents/making.ts";
import type { Service } from "../../service.ts";
import { servicesOf } from "../http/auth-services.ts";
import { callerOf, type RequestContext } from "../http/context.ts";
import { documentContext } from "../http/document-context.ts";
import { ownAddresses } from "../http/own-addresses.ts";
import type { ResourceShelf } from "./protocol.ts";
import { denialText } from "./results.ts";

/** Characters of the longest document that is sent: a model could not read more. */
const maxText = 1_000_000;

export const documentType = "application/ld+json";

/** The documents of a service, for one request. */
export interface Resources extends Pick<ResourceShelf, "list" | "templates"> {
  /**
   * Returns the document at an address of this server as JSON. Throws ServiceError: `not-found` if there is
   * none, `bad-request` for an address of another site, `unauthorized` with the way to log in, `too-large`.
   */
  read(uri: string): Promise<string>;
}

/** Returns the resources for a request. */
export function resourcesOf(c: RequestContext, service: Service): Resources {
  const base = c.get("base");
  const mimeType = documentType;
  const information = `${base}${mainPrefix[3]}{identifier}/info.json`;
  const images = { uriTemplate: information, name: "IIIF image information", mimeType };
  if (!service.manifests) return { list: [], templates: [images], read: (uri) => read(c, service, uri) };
  const uriTemplate = `${documentAddress(base, "")}/{+identifier}`;
  return {
    list: [{ uri: documentAddress(base, ""), name: "Collection of this server", mimeType }],
    templates: [{ uriTemplate, name: "IIIF Presentation 3 manifest or collection", mimeType }, images],
    read: (uri) => read(c, service, uri),
  };
}

async function read(c: RequestContext, service: Service, uri: string): Promise<string> {
  const link = readOwnLink(uri, ownAddresses(c, service));
  if (link?.names === "image") return informationText(c, service, link.identifier);
  if (link?.names === "document") return documentText(c, service, link.path);
  if (link) throw nothingThere();
  throw new ServiceError(
    "bad-request",
    `Expected the address of a document of this server, which begins with ${c.get("base")}/; received ${describeReceived(uri)}. Use the links that browse and get_image_info return.`,
    { code: "foreign_address" },
  );
}

function describeReceived(uri: string): string {
  const host = parseUrl(uri)?.host;
  return host ? `one of ${host}` : "another text";
}

async function documentText(c: RequestContext, service: Service, path: string): Promise<string> {
  const { manifests } = service;
  if (!manifests) throw nothingThere();
  const readings = presentationPaths(path);
  const presented = await manifests.present(readings, callerOf(c, ""), documentContext(c, service));
  if (presented.refused) {
    const text = denialText(c, service, readings[0]?.of ?? "", presented.refused);
    throw new ServiceError("unauthorized", text, { code: "access_denied" });
  }
  const made = await presented.make();
  if (!made.canvases) return refuseLong(JSON.stringify(made.document));
  const items: unknown[] = [];
  let length = 0;
  for await (const some of canvasesOf(made).batches()) {
    items.push(...some);
    length += JSON.stringify(some).length;
    if (length > maxText) throw tooLong();
  }
  return refuseLong(JSON.stringify({ ...made.document, items }));
}

function informationText(c: RequestContext, service: Service, identifier: string): Promise<string> {
  const id = imageAddress(c.get("base") + mainPrefix[3], identifier);
  const asked = { version: 3, id, service: servicesOf(c, service, 3, identifier) } as const;
  return withMaster(
    service.images,
    callerOf(c, identifier),
    async (master) =>
      JSON.stringify((await informationOf(service.images, master, asked, c.req.raw.signal)).document),
    (refused) => {
      throw new ServiceError("unauthorized", denialText(c, service, identifier, refused), {
        code: "access_denied",
      });
    },
  );
}

function refuseLong(text: string): string {
  if (text.length > maxText) throw tooLong();
  return text;
}

const tooLong = () =>
  new ServiceError(
    "too-large",
    `Expected a document of at most ${maxText} characters; this one is longer. Use browse, which lists its images page by page.`,
    { code: "document_too_large" },
  );

const nothingThere = () =>
  new ServiceError(
    "not-found",
    "Expected the address of a manifest, a collection or image information; there is none at this one. Use the links that browse and get_image_info return.",
    { code: "no_such_manifest" },
  );
