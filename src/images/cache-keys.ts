// Names and variants of cache entries. Purging uses the same file.

import type { Grant, Tier } from "../access/access.ts";
import type { Geometry } from "../iiif/image/geometry.ts";
import { imageAddress, mainPrefix } from "../iiif/image/mounts.ts";
import type { NamedMaster } from "../imaging/codecs/plan.ts";
import { sha256 } from "../imaging/lib/digest.ts";
import { createLru } from "../imaging/lib/lru.ts";
import { toBase64Url } from "../lib/bytes/base64url.ts";
import type { Source } from "../sources/source.ts";
import { nameIn } from "../stores/names.ts";
import type { Overlay } from "./overlay/overlay.ts";
import type { OutputPolicy } from "./plan/policy.ts";

/** Raised whenever the same plan makes other bytes than before, so that cached derivatives of older builds are not used. */
export const renderVersion = 15;
/** The same for answers that carry an overlay. */
export const overlayVersion = 1;
/** The same for answers whose detail access limits. */
export const detailVersion = 1;
/** Raised whenever the recorded facts change their meaning. */
export const factsVersion = 9;
/** Raised whenever what is stored of a kind of file changes; a format that had no sidecar before does not raise it. */
export const sidecarVersion = 8;

/** A master as keys see it. */
export interface MasterKey {
  readonly source: Pick<Source, "name" | "fingerprint">;
  /** What the source was asked for. */
  readonly key: string;
  /** 1-based. */
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
  readonly identifier: string;
  readonly canonical: string;
}

/**
 * Key of a derivative: its name is the URL path of the canonical request on the main route, so every spelling and
 * every alias shares one entry, in the group of its master; its variant is a hash of what else the bytes depend on (the scale
 * factor of a tile request follows from the configured tile side as well, and access may limit the detail of a
 * picture). Answers of another tier than `public` have entries of their own. `deflate` names the deflate of this host, for formats
 * that are written with it.
 */
export async function renderKey(
  { version, identifier, canonical }: CanonicalRequest,
  master: MasterKey & { readonly grant: Grant },
  policy: OutputPolicy,
  { scaleFactor, detail, size }: Pick<Geometry, "scaleFactor" | "detail" | "size">,
  {
    deflate,
    overlay,
  }: { readonly deflate?: string | undefined; readonly overlay?: Overlay | undefined } = {},
): Promise<EntryKey> {
  const { tier } = master.grant;
  const name = renderName(masterName(master), version, identifier, canonical, tier);
  const parts: unknown[] = [scaleFactor ?? 0, ...identity(master)];
  if (deflate !== undefined) parts.push(deflate);
  if (detail) parts.push({ detail: [detailVersion, detail.grid, detail.cells, size] });
  if (overlay) parts.push({ overlay: overlayIdentity(overlay) });
  const variant = await hashText(`[${renderVersion},${jsonOf(policy)},${JSON.stringify(parts).slice(1)}`);
  return { name, variant };
}

const overlayIdentity = ({ image, settings: { anchor, offset, fit, opacity } }: Overlay) => [
  overlayVersion,
  image.digest,
  anchor,
  offset,
  fit,
  opacity,
];

/** Name of a derivative; `master` is what {@link masterName} returns, `parameters` are `region/size/rotation/quality.format`. */
export function renderName(
  master: string,
  version: 2 | 3,
  identifier: string,
  parameters: string,
  tier: Tier,
): string {
  const path = `${imageAddress(mainPrefix[version], identifier)}/${parameters}`;
  return nameIn(master, tier === "public" ? path : `${path}${tierMark}${tier}`);
}

/** What stands between a path and its tier; its number rises whenever the tiers change their meaning. */
const tierMark = "|v1|";

/** A name without its tier, and the tier. */
export function splitTier(name: string): { readonly path: string; readonly tier: Tier } {
  for (const tier of ["full", "substitute"] as const)
    if (name.endsWith(tierMark + tier)) return { path: name.slice(0, -(tierMark + tier).length), tier };
  return { path: name, tier: "public" };
}

/** Key of a master's facts: one name for all versions, hosts and tiers of its info.json. */
export async function factsKey(master: MasterKey): Promise<EntryKey> {
  return { name: masterName(master), variant: await hash([factsVersion, ...identity(master)]) };
}

/** Key of a master's sidecar in the origin slot. */
export async function sidecarKey(master: MasterKey): Promise<EntryKey> {
  return {
    name: masterName(master),
    variant: `sidecar.${await hash([sidecarVersion, ...identity(master)])}`,
  };
}

/** Variant of a block of a sidecar, under the same name as its entry. */
export const blockVariant = (sidecar: EntryKey, block: number): string => `${sidecar.variant}.${block}`;

/** `<source-name>:<key>`: the group of all entries of one master, its name in the info and origin slots. */
export function masterName(master: Pick<MasterKey, "source" | "key">): string {
  return `${master.source.name}:${master.key}`;
}

/** A master as it is now: what is known of its bytes counts for this version only. */
export function masterVersion(master: Pick<MasterKey, "source" | "key" | "validator" | "page">): NamedMaster {
  return { name: masterName(master), version: `${master.validator} ${master.page}` };
}

/**
 * The strong entity tag of a derivative, known before anything is rendered. Its variant names all bytes of one address
 * apart; the name only keeps tags of different addresses different, so a quick hash (FNV-1a) will do for it.
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

/** The last digests: all tiles of an image ask for the same few. */
const digests = createLru<string, string>(4096);

/** SHA-256 of the JSON of plain values, base64url. */
export const hash = (values: readonly unknown[]): Promise<string> => hashText(JSON.stringify(values));

/** The policies as JSON: a service has one, which is part of the key of each derivative. */
const policies = new WeakMap<OutputPolicy, string>();

function jsonOf(policy: OutputPolicy): string {
  const known = policies.get(policy);
  if (known !== undefined) return known;
  const json = JSON.stringify(policy);
  policies.set(policy, json);
  return json;
}

async function hashText(text: string): Promise<string> {
  const known = digests.get(text);
  if (known !== undefined) return known;
  const digest = toBase64Url(await sha256(text));
  digests.set(text, digest, 1);
  return digest;
}
