// What manifests and collections need to know of a request and its service.

import { mainPrefix } from "../../iiif/image/mounts.ts";
import type { DocumentContext } from "../../iiif/presentation/model.ts";
import { viewAddress } from "../../iiif/view-mounts.ts";
import type { Service } from "../../service.ts";
import type { RequestContext } from "./context.ts";

/** The context of documents that answer a request. */
export function documentContext(c: RequestContext, { images }: Service): DocumentContext {
  const base = c.get("base");
  return {
    base,
    imagePrefixes: mainPrefix,
    limits: images.sizes.limits,
    viewer: (id) => viewAddress(base, id),
  };
}
