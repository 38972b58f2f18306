// Mints the content state of a view of this service, with its encoded form and a link that opens it.

import { ServiceError } from "../../../base/index.ts";
import {
  encodeSegments,
  encodeState,
  inVersion,
  parseRegion,
  pixelRegion,
  presentationPaths,
  type StateRegion as Region,
  stateOf,
  stateViewAddress,
  type View,
} from "../../../iiif/index.ts";
import { canvasesOf, type Made } from "../../manifests/documents/making.ts";
import type { Manifests } from "../../manifests/manifests.ts";
import type { Service } from "../../service.ts";
import { callerOf, type RequestContext } from "../http/context.ts";
import { documentContext } from "../http/document-context.ts";
import { Refusal } from "../http/problem.ts";
import { setCaching } from "../http/representation/caching.ts";
import { sendText } from "../http/representation/send.ts";

/**
 * Responds with a content state for `target`, optionally its canvas number `canvas` and the region `xywh` of
 * that, in the terms of version `v` of the Presentation API. Throws a Refusal that names the parameter: 400,
 * or 404 for a target that does not exist.
 */
export async function respondMint(
  c: RequestContext,
  service: Service,
  manifests: Manifests,
): Promise<Response> {
  const asked = parametersOf(c);
  const readings = presentationPaths(encodeSegments(asked.target));
  const presented = await manifests.present(readings, callerOf(c, ""), documentContext(c, service), "partly");
  if (presented.refused)
    throw new ServiceError("unauthorized", presented.refused.reason, { code: "access_denied" });
  const made = await presented.make();
  if (made.document.type !== "Manifest")
    throw refusal(
      "target",
      made.document.type === "Collection"
        ? "Expected the identifier of a folder of images or of one image; received that of a collection. Name one of its members."
        : "Expected the identifier of a folder of images or of one image; received that of a part of one. Name the whole, and the number of the canvas as canvas.",
    );
  const base = c.get("base");
  const view = await viewOf(made, asked);
  const toVersion = (address: string) => inVersion(address, base, asked.version);
  const contentState = stateOf(
    {
      ...view,
      manifest: toVersion(view.manifest),
      ...(view.canvas !== undefined && { canvas: toVersion(view.canvas) }),
    },
    asked.version,
  );
  const encoded = encodeState(contentState);
  const headers: Record<string, string> = {};
  setCaching(headers, c, presented.sharing(), "no-cache");
  const viewerUrl = stateViewAddress(base, encoded);
  const document = { contentState, encoded, viewerUrl };
  return sendText(c, JSON.stringify(document, null, 2), { type: "application/json", headers });
}

interface MintParameters {
  readonly target: string;
  /** From 1. */
  readonly canvas?: number;
  readonly region?: Region;
  readonly version: 2 | 3;
}

function parametersOf(c: RequestContext): MintParameters {
  const query = new URLSearchParams(c.get("target").query);
  const parameterNamed = (name: string) => {
    const values = query.getAll(name);
    if (values.length > 1) throw refusal(name, `Expected ${name} once; received it ${values.length} times.`);
    return values[0];
  };
  const target = parameterNamed("target");
  if (target === undefined || target === "")
    throw refusal("target", "Expected the identifier of a folder or image of this service; received none.");
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(target) || target.startsWith("/"))
    throw refusal(
      "target",
      "Expected the identifier of a folder or image of this service, such as books/atlas; received an address. Name the part that follows /view/ in it.",
    );
  const version = parameterNamed("v") ?? "3";
  if (version !== "2" && version !== "3") throw refusal("v", "Expected v to be 2 or 3.");
  const canvas = parameterNamed("canvas");
  if (canvas !== undefined && !/^[1-9]\d{0,8}$/.test(canvas))
    throw refusal("canvas", "Expected canvas to be the number of a canvas, from 1.");
  const xywh = parameterNamed("xywh");
  if (xywh !== undefined && canvas === undefined)
    throw refusal("xywh", "A region needs its canvas; received xywh without canvas.");
  const region = xywh === undefined ? undefined : parseRegion(xywh);
  if (xywh !== undefined && !(region && region.unit === "pixel"))
    throw refusal("xywh", "Expected xywh to be x,y,w,h in pixels of the canvas, such as 100,200,640,480.");
  return {
    target,
    version: version === "2" ? 2 : 3,
    ...(canvas !== undefined && { canvas: Number(canvas) }),
    ...(region && { region }),
  };
}

async function viewOf(made: Made, { canvas: number, region }: MintParameters): Promise<View> {
  const manifest = String(made.document.id);
  if (number === undefined) return { manifest };
  const canvases = canvasesOf(made);
  const canvas = await canvases.at(number - 1);
  if (!canvas)
    throw refusal("canvas", `Expected canvas to be 1 to ${await canvases.count()}; received ${number}.`);
  const id = String(canvas.id);
  if (!region) return { manifest, canvas: id };
  const { width, height } = canvas;
  // Documents of operators may have canvases of sound only.
  if (typeof width !== "number" || typeof height !== "number")
    throw refusal(
      "xywh",
      "Expected a canvas with a width and a height to name a region of; this one has none.",
    );
  const cut = pixelRegion(region, { width, height });
  if (!cut)
    throw refusal(
      "xywh",
      `Expected a region of the canvas, which has ${width} by ${height} pixels; received one outside of it.`,
    );
  return { manifest, canvas: id, region: cut };
}

const refusal = (parameter: string, found: string) =>
  new Refusal({ status: 400, code: "invalid_mint", detail: `${found} Correct ${parameter} and ask again.` });
