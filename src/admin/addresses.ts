// Addresses of the pages about folders and images, by identifier.

import { encodeIdentifier } from "../iiif/index.ts";

export const browseFolder = "/admin/browse/";
export const viewFolder = "/admin/view/";
/** Before the identifier and the parameters of a picture on these pages. */
export const pictureFolder = "/admin/image/";

/** Path of the page of a folder; "" is the root. */
export const folderPath = (identifier: string): string =>
  identifier === "" ? "/admin/browse" : browseFolder + pathOf(identifier);

/** Path of the page of an image. */
export const imagePath = (identifier: string): string => viewFolder + pathOf(identifier);

/** Slashes of identifiers stay, for readable addresses. A URL in an identifier keeps both of its slashes. */
const pathOf = (identifier: string) => identifier.split("/").map(encodeIdentifier).join("/");
