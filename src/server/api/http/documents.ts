// Which requests are for documents: image information, manifests, searches, texts and all else that viewers
// read besides images.

import { authFolder, downloadKinds, downloadPath } from "../../../iiif/index.ts";
import type { RouteClass } from "../../stats/figures.ts";
import type { Route } from "./context.ts";
import { linksPath } from "./signed-address.ts";

const images: ReadonlySet<RouteClass | false> = new Set(["iiif/2 image", "iiif/3 image"]);
const others = [authFolder, linksPath, ...downloadKinds.map(downloadPath)];

/**
 * True if what pages of all sites may read at a path is a document: neither an image nor a download, which
 * have their own cost, nor a part of a login, nor behind a signed link, which is verified later. `counted`:
 * the class that the request is counted to.
 */
export const isDocument = ({ cors }: Route, path: string, counted: RouteClass | false): boolean =>
  cors === true && !images.has(counted) && !others.some((folder) => path.startsWith(folder));
