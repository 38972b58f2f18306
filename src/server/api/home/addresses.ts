// Addresses of the pages of the collection.

import { authPaths, loginAddress, viewAddress } from "../../../iiif/index.ts";
import type { Site } from "./site.ts";

/** Query parameters `in`, `q`, `from` and `text`. */
export interface ListParameters {
  /** Identifier of a folder; "" is the root. */
  readonly identifier: string;
  /** The search text as entered; "" for none. */
  readonly search: string;
  /** Index of the first entry, from 0. */
  readonly from: number;
  /** Index of the first page whose text a search finds, from 0; a later one is shown without entries. */
  readonly text?: number;
}

type Addressed = Pick<Site, "folder" | "parameters">;

/** Returns the path and query of a page of the collection. */
export function addressIn(
  { folder, parameters }: Addressed,
  { identifier, search, from, text = 0 }: ListParameters,
): string {
  const query = [
    ...(identifier === "" ? [] : [`in=${inQuery(identifier)}`]),
    ...(search === "" ? [] : [`q=${inQuery(search)}`]),
    ...(from === 0 ? [] : [`from=${from + 1}`]),
    ...(text === 0 ? [] : [`text=${text + 1}`]),
    ...parameters.map((pair) => pair.join("=")),
  ];
  return `${folder}/${query.length > 0 ? `?${query.join("&")}` : ""}`;
}

const inQuery = (text: string) => encodeURIComponent(text).replaceAll("%2F", "/");

/** Returns the path and query of the first page of a folder. */
export const folderAddress = (site: Addressed, identifier: string) =>
  addressIn(site, { identifier, search: "", from: 0 });

/** Returns the address of the viewer of a document. */
export const viewerAddress = ({ base, parameters }: Pick<Site, "base" | "parameters">, id: string) =>
  withParameters({ parameters }, viewAddress(base, id));

/** Adds the parameters that links keep to the address of a page of a viewer. */
export const withParameters = ({ parameters }: Pick<Site, "parameters">, address: string) =>
  parameters.length === 0 ? address : `${address}?${parameters.map((pair) => pair.join("=")).join("&")}`;

/** Returns the address of a profile's login, which leads back to a page. */
export const loginFrom = ({ folder }: Pick<Site, "folder">, profile: string, page: string) =>
  `${loginAddress(folder, profile, 2)}?return_to=${encodeURIComponent(page)}`;

/** Returns the address of the logout, which leads back to a page. */
export const logoutFrom = ({ folder }: Pick<Site, "folder">, page: string) =>
  `${folder}${authPaths.logout}?return_to=${encodeURIComponent(page)}`;
