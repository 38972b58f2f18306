// What manifests and collections need to know of a request and its service.

import { mainPrefix } from "../../iiif/image/mounts.ts";
import type { DocumentContext } from "../../iiif/presentation/model.ts";
import type { Service } from "../../service.ts";
import type { RequestContext } from "./context.ts";

/** The context of documents that answer a request. */
export function documentContext(c: RequestContext, { images }: Service): DocumentContext {
  return { base: c.get("base"), imagePrefixes: mainPrefix, limits: images.limits };
}
