// Title and provider of the collection: from the configuration, or else from the manifest file at its top.

import { type LanguageMap, parseUrl } from "../../../base/index.ts";
import { idOf, makeAbsolute, objectsOf, type Resource } from "../../../iiif/index.ts";
import type { Sources } from "../../sources/index.ts";
import { folderInTime } from "../folders/folder-in-time.ts";
import type { Folders } from "../folders/folders.ts";
import type { PresentationOptions } from "../options.ts";
import { membersOfFolder } from "./contents.ts";

export interface Provider {
  readonly label: string | LanguageMap;
  /** Absolute addresses with http or https. */
  readonly homepage?: string;
  readonly logo?: string;
}

export interface SiteDescription {
  readonly title?: string | LanguageMap;
  readonly provider?: Provider;
}

/** Milliseconds to wait for the manifest file at the top. */
const maxMs = 300;

/** The description. `base`: public URL of the service without trailing slash. */
export async function describeSite(
  { sources, folders }: { readonly sources: Sources; readonly folders: Folders },
  { title, provider }: Pick<PresentationOptions, "title" | "provider">,
  base: string,
): Promise<SiteDescription> {
  const members = await membersOfTop(sources, folders);
  const label = title === "" ? members.label : title;
  const of =
    provider.label === ""
      ? objectsOf(members.provider)[0]
      : { label: provider.label, homepage: linkTo(provider.homepage), logo: linkTo(provider.logo) };
  const provided = of && providerOf(makeAbsolute(of, { base, document: `${base}/` }));
  return {
    ...(label !== undefined && { title: label as string | LanguageMap }),
    ...(provided && { provider: provided }),
  };
}

const linkTo = (address: string) => (address === "" ? [] : [{ id: address }]);

async function membersOfTop(sources: Sources, folders: Folders): Promise<Resource> {
  const location = { source: sources.default, key: "" };
  const folder = await folderInTime(folders, location, maxMs);
  return folder ? membersOfFolder(sources, location, folder) : {};
}

function providerOf({ label, homepage, logo }: Resource): Provider | undefined {
  if (label === undefined) return undefined;
  const [page, picture] = [homepage, logo].map((value) => idOf([value].flat()[0]));
  return {
    label: label as string | LanguageMap,
    ...(isWeb(page) && { homepage: page }),
    ...(isWeb(picture) && { logo: picture }),
  };
}

/** Whole documents are not checked, so an address may have any scheme. */
const isWeb = (address: string | undefined): address is string =>
  address !== undefined && /^https?:\/\//i.test(address) && parseUrl(address) !== undefined;
