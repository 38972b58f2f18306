// The facts about a request and its service that manifests and collections depend on.

import { type DocumentContext, mainPrefix, viewAddress } from "../../../iiif/index.ts";
import type { Service } from "../../service.ts";
import type { RequestContext } from "./context.ts";

/** Returns the context of documents for a request. */
export function documentContext(c: RequestContext, { images, config }: Service): DocumentContext {
  const base = c.get("base");
  const { login_services } = config().presentation;
  return {
    base,
    imagePrefixes: mainPrefix,
    limits: images.sizes.limits,
    viewer: (id) => viewAddress(base, id),
    ...(login_services === "images" && { loginsAtImages: true }),
  };
}
