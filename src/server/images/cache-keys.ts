// Names and variants of cache entries, for rendering and for purging.

import { createLru, sha256, toBase64Url } from "../../base/index.ts";
import { type Geometry, imageAddress, mainPrefix } from "../../iiif/index.ts";
import type { NamedMaster, OutputPolicy, SidecarLayer } from "../../imaging/index.ts";
import type { Grant, Tier } from "../access/access.ts";
import type { Source } from "../sources/source.ts";
import { nameIn } from "../stores/names.ts";
import type { Overlay } from "./overlay/overlay.ts";

/**
 * Version of derivatives; raised whenever the same plan yields other bytes than before, so that cached
 * derivatives of older builds are not used.
 */
export const renderVersion = 19;
/** Version of derivatives with an overlay. */
export const overlayVersion = 1;
/** Version of derivatives whose detail is limited by access. */
export const detailVersion = 1;
/** Version of header facts; raised whenever their meaning changes. */
export const factsVersion = 13;
/**
 * Version of sidecars; raised whenever their stored form changes, but not if a format gets a sidecar for the
 * first time.
 */
export const sidecarVersion = 11;

/** The properties of a master that its keys depend on. */
export interface MasterKey {
  readonly source: Pick<Source, "name" | "fingerprint">;
  /** Key within the source. */
  readonly key: string;
  /** Page number, from 1. */
  readonly page: number;
  readonly validator: string;
}

export interface EntryKey {
  readonly name: string;
  readonly variant: string;
}

/** A request in its canonical form (Image API 3.0, section 4.8). */
export interface CanonicalRequest {
  readonly version: 2 | 3;
  readonly canonical: string;
}

/**
 * Returns the key of a derivative. Its name is the canonical request on the main route, with the key of the
 * master as its identifier, so that all identifiers, spellings and aliases share one entry. Its variant is a
 * hash of everything else that the bytes depend on (the scale factor of a tile request also depends on the
 * configured tile side, and access may limit the detail of a derivative). Derivatives of any other tier than
 * `public` have their own entries. `deflate` names the deflate implementation of this host, for formats that
 * use it.
 */
export async function renderKey(
  { version, canonical }: CanonicalRequest,
  master: MasterKey & { readonly grant: Grant },
  policy: OutputPolicy,
  { scaleFactor, detail, size }: Pick<Geometry, "scaleFactor" | "detail" | "size">,
  {
    deflate,
    overlay,
  }: { readonly deflate?: string | undefined; readonly overlay?: Overlay | undefined } = {},
): Promise<EntryKey> {
  const { tier } = master.grant;
  const name = renderName(master, version, canonical, tier);
  const parts: unknown[] = [renderVersion, policy, scaleFactor ?? 0, ...identity(master)];
  if (deflate !== undefined) parts.push(deflate);
  if (detail) parts.push({ detail: [detailVersion, detail.grid, detail.cells, size] });
  if (overlay) parts.push({ overlay: overlayIdentity(overlay) });
  return { name, variant: await hash(parts) };
}

const overlayIdentity = ({ image, settings: { anchor, offset, fit, opacity } }: Overlay) => [
  overlayVersion,
  image.digest,
  anchor,
  offset,
  fit,
  opacity,
];

/**
 * Returns the name of a derivative, in the group of its master. `parameters`:
 * `region/size/rotation/quality.format`.
 */
export function renderName(
  master: Pick<MasterKey, "source" | "key" | "page">,
  version: 2 | 3,
  parameters: string,
  tier: Tier,
): string {
  const identifier = master.page === 1 ? master.key : `${master.key};${master.page}`;
  const path = `${imageAddress(mainPrefix[version], identifier)}/${parameters}`;
  return nameIn(masterName(master), tier === "public" ? path : `${path}${tierMark}${tier}`);
}

/** Separates a path from its tier; the number is raised whenever the meaning of the tiers changes. */
const tierMark = "|v1|";

/** Splits a name into its path and its tier. */
export function splitTier(name: string): { readonly path: string; readonly tier: Tier } {
  for (const tier of ["full", "substitute"] as const)
    if (name.endsWith(tierMark + tier)) return { path: name.slice(0, -(tierMark + tier).length), tier };
  return { path: name, tier: "public" };
}

/** Returns the key of the facts of a master, shared by all versions, hosts and tiers of its info.json. */
export async function factsKey(master: MasterKey): Promise<EntryKey> {
  return { name: masterName(master), variant: await hash([factsVersion, ...identity(master)]) };
}

/** Returns the key of the facts of the first `count` pages of a file. */
export async function pagesKey(master: MasterKey, count: number): Promise<EntryKey> {
  const values = [factsVersion, ...identity({ ...master, page: 1 }), count];
  return { name: masterName(master), variant: `pages.${await hash(values)}` };
}

/** Returns the key of a layer of the sidecar of a master in the origin slot. */
export async function sidecarKey(master: MasterKey, layer: SidecarLayer): Promise<EntryKey> {
  return {
    name: masterName(master),
    variant: `sidecar.${await hash([sidecarVersion, layer, ...identity(master)])}`,
  };
}

/** Returns the variant of a block of a layer; its name is that of the layer. */
export const blockVariant = (layer: EntryKey, block: number): string => `${layer.variant}.${block}`;

/**
 * Returns `<source-name>:<key>`: the group of all entries of a master, and its name in the slots `info` and
 * `origin`.
 */
export function masterName(master: Pick<MasterKey, "source" | "key">): string {
  return `${master.source.name}:${master.key}`;
}

/** Identifies the current bytes of a master; facts about them apply to this version only. */
export function masterVersion(master: Pick<MasterKey, "source" | "key" | "validator" | "page">): NamedMaster {
  return { name: masterName(master), version: `${master.validator} ${master.page}` };
}

/** Milliseconds after a change of a file during which another change may leave its validator the same. */
const settledMs = 2000;

/**
 * Returns the identity of the bytes of a master for what workers keep of them, which no purge reaches;
 * undefined if they were last changed so short a time before `now` that they may change under the same
 * validator.
 */
export function settledVersion(
  { source, key, validator }: Omit<MasterKey, "page">,
  modified: Date | undefined,
  now: number,
): string | undefined {
  if (modified && now - modified.getTime() < settledMs) return undefined;
  return JSON.stringify([source.fingerprint, key, validator]);
}

/**
 * Returns the strong entity tag of a derivative, which is known before anything is rendered. The variant
 * distinguishes all derivatives of one address; the name only has to distinguish addresses, so a quick hash
 * (FNV-1a) is enough for it.
 */
export function entityTag({ name, variant }: EntryKey): string {
  let sum = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) sum = Math.imul(sum ^ name.charCodeAt(i), 0x01000193);
  return `"${variant.slice(0, 20)}${(sum >>> 0).toString(36)}"`;
}

const identity = (master: MasterKey) => [
  master.source.fingerprint,
  master.key,
  master.page,
  master.validator,
];

/** Latest digests: all tiles of an image need the same few. */
const digests = createLru<string, string>(4096);

/** Returns the SHA-256 digest of the JSON of plain values, in base64url. */
export async function hash(values: readonly unknown[]): Promise<string> {
  const text = JSON.stringify(values);
  const known = digests.get(text);
  if (known !== undefined) return known;
  const digest = toBase64Url(await sha256(text));
  digests.set(text, digest, 1);
  return digest;
}
