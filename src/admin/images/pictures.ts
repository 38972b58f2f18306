// /admin/image/{identifier}/…: image information and derivatives for the operator's pages. Their browser
// receives what a reader's would, but the requests count to the admin pages: looking at damaged images is no
// failure for readers.

import { asServiceError, ServiceError } from "../../base/index.ts";
import {
  type ImagePath,
  imageAddress,
  mainPrefix,
  parseImageRequest,
  splitImagePath,
} from "../../iiif/index.ts";
import { writingOf } from "../../imaging/index.ts";
import {
  bodyOf,
  callerOf,
  type GrantedMaster,
  informationOf,
  isServiceFailure,
  noSuchPage,
  prepare,
  Refusal,
  type RenderParts,
  type RequestContext,
  recordSent,
  render,
  statusOf,
  unnoted,
  unnotedRenders,
  withMaster,
} from "../../server/index.ts";
import { pictureFolder } from "../addresses.ts";
import type { AdminPage } from "../admin.ts";

/** Routes of /admin/image/{identifier}/…. */
export const pictureRoutes: AdminPage = ({ service }) => {
  const parts: RenderParts = { ...service.images, decisions: unnoted, latest: unnotedRenders };
  return [
    {
      path: `${pictureFolder}*`,
      async get(c) {
        try {
          return await respond(c, parts);
        } catch (error) {
          throw asRefusal(error);
        }
      },
    },
  ];
};

function respond(c: RequestContext, parts: RenderParts): Promise<Response> {
  const raw = c.get("target").path.slice(pictureFolder.length);
  const path = splitImagePath(raw);
  const acts = { base: noPicture, info: information, image: derivative } as const;
  // Hooks see the address that a reader would request.
  const caller = { ...callerOf(c, path.identifier), path: mainPrefix[3] + raw };
  const work = (master: GrantedMaster) => acts[path.kind](c, parts, master, path as never);
  return withMaster(parts, caller, work, ({ reason }) => {
    throw new Refusal({ status: 403, code: "access_denied", detail: reason });
  });
}

function noPicture(): never {
  throw new Refusal(noSuchPage);
}

async function information(
  c: RequestContext,
  parts: RenderParts,
  master: GrantedMaster,
  { identifier }: ImagePath,
): Promise<Response> {
  const id = imageAddress(c.get("base") + pictureFolder, identifier);
  const { document } = await informationOf(parts, master, { version: 3, id }, c.req.raw.signal);
  return Response.json(document, {
    headers: { "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" },
  });
}

async function derivative(
  c: RequestContext,
  parts: RenderParts,
  master: GrantedMaster,
  path: Extract<ImagePath, { kind: "image" }>,
): Promise<Response> {
  const { signal } = c.req.raw;
  const request = parseImageRequest(3, path, parts.formats);
  const prepared = await prepare(parts, master, request, signal);
  const { bytes } = await render(parts, master, prepared, signal);
  return new Response(bodyOf(c, recordSent(c, bytes as Uint8Array<ArrayBuffer>)), {
    headers: {
      "Cache-Control": "no-store",
      "Content-Type": writingOf(request.format).mediaType,
      "X-Content-Type-Options": "nosniff",
    },
  });
}

/**
 * Returns what is thrown for an error. An image that the service fails to serve becomes 422, which is neither
 * logged nor reported as a failure: the page shows the reason.
 */
function asRefusal(thrown: unknown): unknown {
  const error = asServiceError(thrown);
  if (!(error instanceof ServiceError) || !isServiceFailure(statusOf[error.kind])) return error;
  return new Refusal({ status: 422, code: error.code, detail: error.message });
}
