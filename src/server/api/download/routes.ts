// Whole items over HTTP: a manifest as one PDF, or its masters as one ZIP.

import { createLru, type Lru, ServiceError } from "../../../base/index.ts";
import {
  attachmentNamed,
  type DownloadKind,
  downloadKinds,
  downloadPath,
  fileStem,
  imageChallenge,
  presentationPaths,
} from "../../../iiif/index.ts";
import { combineSharing, type RefusedDecision } from "../../access/access.ts";
import { openDownload } from "../../downloads/download.ts";
import { bytesOf } from "../../downloads/pieces.ts";
import type { Service } from "../../service.ts";
import { callerOf, type RequestContext } from "../http/context.ts";
import { setCors } from "../http/cors.ts";
import { documentContext } from "../http/document-context.ts";
import { noteFailure } from "../http/failure.ts";
import { problemResponse, Refusal } from "../http/problem.ts";
import { setCaching } from "../http/representation/caching.ts";
import { isNotModified, validatorHeaders } from "../http/representation/conditional.ts";
import { requestedRange } from "../http/representation/ranges.ts";
import { streamOf } from "../http/representation/streamed-body.ts";
import type { Routes } from "../http/routes.ts";
import { pay, prepaid } from "./charges.ts";

/** Lengths of files by their tags. */
type Lengths = Lru<string, number>;

/** Files whose lengths are remembered. */
const maxLengths = 4096;

/** Mounts the kinds of files that the configuration offers. */
export function mountDownload(routes: Routes, service: Service): void {
  if (!service.manifests) return;
  const lengths: Lengths = createLru(maxLengths);
  for (const kind of downloadKinds)
    if (service.config().presentation.download[kind] === "on")
      routes.add({
        path: `${downloadPath(kind)}*`,
        cors: true,
        compressed: false,
        proof: "download",
        get: (c) => respond(c, service, kind, lengths),
      });
}

const types = { pdf: "application/pdf", zip: "application/zip" } as const;

/**
 * Number of pages up to which items are measured before they are sent, which takes a look at each page;
 * longer ones if the client wants to know, or once they have been sent.
 */
const measuredPages = 64;

async function respond(
  c: RequestContext,
  service: Service,
  kind: DownloadKind,
  lengths: Lengths,
): Promise<Response> {
  const { manifests } = service;
  const path = c.get("target").path.slice(downloadPath(kind).length);
  const readings = presentationPaths(`/${path}`).filter(({ piece }) => piece === undefined);
  const context = documentContext(c, service);
  const own = callerOf(c, "");
  const caller = { ...own, visitor: prepaid(own.visitor) };
  const presented = await manifests?.present(readings, caller, context);
  if (!presented || presented.refused) return refuse(c, presented?.refused);
  const { presentation, aliases } = service.config();
  const file = await openDownload(service, await presented.make(), {
    kind,
    caller,
    context,
    options: presentation,
    aliases: aliases.map(({ prefix }) => prefix),
  });
  if (!file)
    throw new ServiceError(
      "not-found",
      "This item is not offered as one file: it has too many pages, or shows images of other services. Its manifest lists the files that there are.",
      { code: "no_such_download" },
    );
  const { plan } = file;
  const isEmpty = plan.pages.every(({ image }) => image.way === "missing");
  if (isEmpty && (plan.refused || plan.pages.length === 0)) return refuse(c, plan.refused);

  const etag = `"${file.tag}"`;
  const headers: Record<string, string> = {
    ...validatorHeaders({ etag }),
    "X-Content-Type-Options": "nosniff",
  };
  const sharing = combineSharing([presented.sharing(), plan.sharing]);
  setCaching(headers, c, sharing, presented.lasts() ? service.caching.documents : "no-cache");
  setCors(headers, c);
  const exposed = headers["Access-Control-Expose-Headers"];
  headers["Access-Control-Expose-Headers"] = `${exposed}, Accept-Ranges, Content-Length, Content-Range`;
  if (isNotModified(c.req.raw.headers, { etag })) return new Response(null, { status: 304, headers });
  headers["Content-Type"] = types[kind];
  headers["Content-Disposition"] = attachmentNamed(`${fileStem(plan.item.title) || "item"}.${kind}`);

  const isHead = c.req.method === "HEAD";
  const wantsLength = isHead || c.req.raw.headers.has("Range") || plan.pages.length <= measuredPages;
  const known = lengths.get(etag);
  const size = known ?? (file.mayHaveLength && wantsLength ? await file.measure() : undefined);
  const isUnknown = !file.mayHaveLength || (wantsLength && size === undefined);
  headers["Accept-Ranges"] = isUnknown ? "none" : "bytes";
  if (size === undefined) {
    if (isHead) return new Response(null, { headers });
    await pay(own, plan, 1);
    return new Response(
      stream(
        c,
        service,
        noteLength(bytesOf(file.pieces()), (length) => remember(length)),
      ),
      { headers },
    );
  }
  remember(size);
  const range = isHead ? undefined : requestedRange(c.req.raw.headers, size, etag);
  if (range === "unsatisfiable")
    throw new Refusal({
      status: 416,
      code: "range_not_satisfiable",
      detail: `Expected a range within the ${size} bytes of this file. Ask again without Range.`,
      headers: { "Content-Range": `bytes */${size}` },
    });
  const { first, last } = range ?? { first: 0, last: size - 1 };
  headers["Content-Length"] = String(last + 1 - first);
  if (isHead) return new Response(null, { headers });
  await pay(own, plan, (last + 1 - first) / size);
  if (range) headers["Content-Range"] = `bytes ${first}-${last}/${size}`;
  return new Response(stream(c, service, bytesOf(file.pieces(), first, last)), {
    status: range ? 206 : 200,
    headers,
  });

  function remember(length: number): void {
    if (file?.mayHaveLength) lengths.set(etag, length, 1);
  }
}

/** Yields the same parts, and reports their length when all have passed. */
async function* noteLength(
  parts: AsyncIterable<Uint8Array>,
  note: (length: number) => void,
): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const part of parts) {
    length += part.length;
    yield part;
  }
  note(length);
}

/** Streams a file; it counts as a request in flight until it has been sent. */
function stream(
  c: RequestContext,
  service: Service,
  parts: AsyncGenerator<Uint8Array>,
): ReadableStream<Uint8Array> {
  let resolveSent = () => {};
  c.set(
    "sent",
    new Promise<void>((resolve) => {
      resolveSent = resolve;
    }),
  );
  const noteError = (error: unknown) => void noteFailure(c, service.log, error);
  return streamOf(parts, { failed: noteError, ended: resolveSent, stallMs: c.get("pacing")?.stallMs });
}

/** Responds to callers who may not have an item, or no page of it. */
async function refuse(c: RequestContext, refused: RefusedDecision | undefined): Promise<Response> {
  if (!refused)
    throw new ServiceError("not-found", "There is no page of this item to send.", {
      code: "no_such_download",
    });
  const { reason, vary } = refused;
  // A hook redirects readers of images, and there is no other file.
  const status = refused.status === 303 ? 401 : refused.status;
  const headers: Record<string, string> = status === 401 ? { "WWW-Authenticate": imageChallenge } : {};
  const response = await problemResponse(c, { status, code: "access_denied", detail: reason, headers });
  for (const name of vary) response.headers.append("Vary", name);
  return response;
}
