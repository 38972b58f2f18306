// Purges a single entry by its name, all entries of an image, or a whole slot.

import { ServiceError } from "../../base/index.ts";
import {
  checkIdentifier,
  type ImagePath,
  imageMounts,
  type Mount,
  mainPrefix,
  parseImageRequest,
  splitImagePath,
  splitPage,
} from "../../iiif/index.ts";
import type { Tier } from "../access/access.ts";
import type { Hooks } from "../hooks/index.ts";
import { archivesIn } from "../sources/archive/archive-key.ts";
import type { SlotName } from "../stores/bounds.ts";
import type { Slot } from "../stores/slot.ts";
import { masterName, renderName, splitTier } from "./cache-keys.ts";
import { forgetHeaders } from "./describe.ts";
import { locateMaster, withMaster } from "./open.ts";
import { asOperator, operatorCaller } from "./operator.ts";
import { type RenderParts, resolveRequest } from "./render.ts";
import type { Owner } from "./resolved-masters.ts";

export interface PurgeParts {
  readonly images: RenderParts;
  readonly slots: Readonly<Record<SlotName, Slot>>;
  readonly aliases: readonly Mount[];
}

export interface PurgedImage {
  /** Number of entries removed from each slot. */
  readonly purged: Readonly<Record<SlotName, number>>;
  /** Slots whose backend cannot remove the entries of a single image. All current backends can. */
  readonly unsupported: readonly SlotName[];
}

/** Forms of keys; nobody writes down the names of the other slots' entries. */
const forms: Readonly<Record<Exclude<SlotName, "text" | "changes">, string>> = {
  render: `the path of an image request, such as ${mainPrefix[3]}a.tif/full/max/0/default.jpg, or that with |v1|full or |v1|substitute behind it`,
  info: `host and path of an info.json, such as images.example.org${mainPrefix[3]}a.tif/info.json`,
  origin: "the name of a source, a colon and an identifier, such as scans:a.tif",
};

const malformedKeyError = (slot: keyof typeof forms, cause?: unknown) =>
  new ServiceError(
    "bad-request",
    `Expected as key of the slot ${slot} ${forms[slot]}; received another form.`,
    {
      code: "invalid_purge_key",
      cause,
    },
  );

/**
 * Removes the entry that a key names, with all its variants, and returns the number of removed entries. Keys
 * are entry names. For `render`: any spelling of an image request under any path of the API. For `info`: any
 * address of an image's info.json, which drops all facts of its master. For `origin`:
 * `<source-name>:<identifier>`, which drops everything cached of that master. The next request checks the
 * master again. `text` and `changes` have no keys. Throws `bad-request` for a key of any other form, and
 * `busy` (code purge_failed) if the store of the slot fails.
 */
export function purgeEntry(parts: PurgeParts, slot: SlotName, key: string): Promise<number> {
  return entryPurges[slot](parts, key);
}

const entryPurges: Readonly<Record<SlotName, (parts: PurgeParts, key: string) => Promise<number>>> = {
  async render(parts, key) {
    const { path: address, tier } = splitTier(key);
    const { path, version } = pathOf(parts, "render", address);
    if (path.kind !== "image") throw malformedKeyError("render");
    const { owners, mapped, failure } = await ownersOf(parts.images, path.identifier);
    for (const { source, key: master } of owners) source.forget?.(master);
    const names = await renderNames(parts.images, version, path, tier, mapped);
    return orFailure(await removeNamed(parts, "render", names), failure);
  },
  async info(parts, key) {
    const { path } = pathOf(parts, "info", splitTier(key).path);
    if (path.kind !== "info") throw malformedKeyError("info");
    const { owners, failure } = await ownersOf(parts.images, path.identifier);
    for (const { source, key: master } of owners) source.forget?.(master);
    return orFailure(await removeFacts(parts, owners), failure);
  },
  async origin(parts, key) {
    const { sources } = parts.images;
    const source = sources.all.find(({ name }) => key.startsWith(`${name}:`));
    if (!source) throw malformedKeyError("origin");
    const identifier = checkKey("origin", () => checkIdentifier(key.slice(source.name.length + 1)));
    const { prefix } = source;
    const whole = prefix !== "" && identifier.startsWith(prefix) ? [identifier.slice(prefix.length)] : [];
    const keys = [identifier, ...whole].flatMap(withoutPage);
    return removeMasters(
      parts,
      keys.map((each) => ({ source, key: source.keyOf?.(each) ?? each })),
    );
  },
  text: async () => refuseKey("text", "an entry of it holds the words of many pages"),
  changes: async () => refuseKey("changes", "each of its entries depends on those before"),
};

function refuseKey(slot: SlotName, reason: string): never {
  throw new ServiceError(
    "bad-request",
    `Expected no key of the slot ${slot}, since ${reason}. Purge the whole slot.`,
    { code: "invalid_purge_key" },
  );
}

/**
 * Removes everything cached of an image from the slots and from the memory of this process: derivatives of
 * all versions, spellings and pages, facts, and the sidecar and blocks of its master. Work that began before
 * stores nothing afterwards; the next request checks the master again. A page (`name;2`) belongs to its
 * master, which is purged as a whole. If a hook maps identifiers, all masters are purged that this process
 * has seen under this identifier, and the current one. Throws `not-found` for an impossible identifier,
 * `busy` (code purge_failed) if the store of a slot fails, and `hook` if the hook fails; in the last two
 * cases everything else is purged nevertheless.
 */
export async function purgeImage(parts: PurgeParts, identifier: string): Promise<PurgedImage> {
  const { owners, failure } = await ownersOf(parts.images, checkIdentifier(identifier));
  const purged = await purgeMasters(parts, owners);
  if (failure !== undefined) throw failure;
  return { purged, unsupported: [] };
}

/**
 * Removes everything cached of masters, and returns the number of entries removed from each slot. Throws
 * `busy` (code purge_failed) if the store of a slot fails; the other slots are purged nevertheless.
 */
export async function purgeMasters(
  parts: PurgeParts,
  owners: readonly Owner[],
): Promise<PurgedImage["purged"]> {
  const failures: unknown[] = [];
  const attempt = (removed: Promise<number>) =>
    removed.catch((error: unknown) => {
      failures.push(error);
      return 0;
    });
  // In order of dependence, so that nothing derived from old data can be stored after its own slot was
  // purged.
  const origin = await attempt(removeMasters(parts, owners));
  const info = await attempt(removeFacts(parts, owners));
  const render = await attempt(removeNamed(parts, "render", owners.map(masterName)));
  if (failures.length > 0) throw failures[0];
  // The index of a changed text has another name, and what has changed is not cached.
  return { render, info, origin, text: 0, changes: 0 };
}

/**
 * Empties a slot. Throws `unsupported` (code purge_unsupported) if its backend cannot do that, `busy` (code
 * purge_failed) if its store fails.
 */
export async function purgeSlot(parts: PurgeParts, name: SlotName): Promise<void> {
  const { images, slots } = parts;
  const { clear } = slots[name];
  if (!clear)
    throw new ServiceError(
      "unsupported",
      `The slot ${name} cannot be emptied as a whole: its backend has no way to do so. Purge single images, or empty its place with the tools of the backend.`,
      { code: "purge_unsupported" },
    );
  const forget = () => {
    if (name === "info") {
      forgetHeaders(images.info);
      images.ignoredProfiles.forget();
      images.damaged.forget();
    }
    if (name !== "origin") return;
    for (const source of images.sources.all) source.purge?.();
    images.sidecars.purge();
  };
  forget();
  try {
    await clear();
  } catch (cause) {
    throw purgeError(name, cause);
  } finally {
    forget();
  }
}

const purgeError = (slot: SlotName, cause: unknown) =>
  new ServiceError(
    "busy",
    `The slot ${slot} could not be purged: its store is unavailable. See /ready, then purge again.`,
    { code: "purge_failed", cause },
  );

/** Removes the entries or groups with these names, and returns their number. Throws `busy` (purge_failed). */
export async function removeNamed(
  { slots }: PurgeParts,
  slot: SlotName,
  names: readonly string[],
): Promise<number> {
  let removed = 0;
  try {
    for (const name of new Set(names)) removed += await slots[slot].delete(name);
  } catch (cause) {
    throw purgeError(slot, cause);
  }
  return removed;
}

/** Removes the cached blocks of masters, and their sidecars. */
async function removeMasters(parts: PurgeParts, owners: readonly Owner[]): Promise<number> {
  const forget = () => {
    for (const owner of owners) {
      owner.source.purge?.(owner.key);
      parts.images.sidecars.purge(masterName(owner));
    }
  };
  // Called before, so that nothing old is written any more, and after, because of data that was found in the
  // slot in the meantime.
  forget();
  // The bytes of a member of an archive are cached as those of the archive.
  const holders = owners.flatMap(({ source, key }) => archivesIn(key).map((each) => ({ source, key: each })));
  return removeNamed(parts, "origin", [...owners, ...holders].map(masterName)).finally(forget);
}

async function removeFacts(parts: PurgeParts, owners: readonly Owner[]): Promise<number> {
  const { images } = parts;
  return removeNamed(parts, "info", owners.map(masterName)).finally(() => {
    forgetHeaders(images.info);
    for (const owner of owners) {
      images.ignoredProfiles.forget(masterName(owner));
      images.damaged.forget(masterName(owner));
    }
  });
}

interface Owners {
  readonly owners: readonly Owner[];
  /** Masters that a hook has named. */
  readonly mapped: readonly Owner[];
  /** Error of the hook if it could not name the current master. */
  readonly failure?: unknown;
}

/**
 * Returns the masters that an identifier may mean: the one of that name, the one of which it would be a page,
 * and those that a hook names.
 */
async function ownersOf(images: RenderParts, identifier: string): Promise<Owners> {
  const own = withoutPage(identifier).map((name) => images.sources.resolve(name));
  if (!images.hooks?.has("resolve")) return { owners: own, mapped: [] };
  let failure: unknown;
  await locateMaster(images, operatorCaller(identifier)).catch((error: unknown) => {
    failure = error;
  });
  const mapped = images.resolved.of(splitPage(identifier)?.identifier ?? identifier);
  return { owners: [...own, ...mapped], mapped, failure };
}

/** Returns the number of removed entries, or throws the failure that occurred meanwhile. */
function orFailure(removed: number, failure: unknown): number {
  if (failure !== undefined) throw failure;
  return removed;
}

function withoutPage(identifier: string): readonly string[] {
  const paged = splitPage(identifier);
  return paged ? [identifier, paged.identifier] : [identifier];
}

/** Parses a URL or its path. A prefix that a proxy adds before the paths of the API is ignored. */
function pathOf(
  { aliases }: PurgeParts,
  slot: keyof typeof forms,
  key: string,
): { path: ImagePath; version: 2 | 3 } {
  const raw = key.replace(/^https?:\/\//i, "").replace(/[?#].*$/s, "");
  const names = imageMounts(aliases)
    .map((mount) => ({ mount, at: raw.indexOf(mount.prefix) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at);
  const [first] = names;
  if (!first) throw malformedKeyError(slot);
  const { mount, at } = first;
  const path = checkKey(slot, () => splitImagePath(raw.slice(at + mount.prefix.length)));
  return { path, version: mount.version };
}

function checkKey<T>(slot: keyof typeof forms, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof ServiceError) throw malformedKeyError(slot, error);
    throw error;
  }
}

/**
 * Returns the entry names of a request in a tier, for the identifier itself and for each master that a hook
 * has named. A name contains the canonical form of the request, or the request as written if it cannot be
 * resolved for the image.
 */
async function renderNames(
  images: RenderParts,
  version: 2 | 3,
  path: Extract<ImagePath, { kind: "image" }>,
  tier: Tier,
  mapped: readonly Owner[],
): Promise<readonly string[]> {
  const { identifier, region, size, rotation, file } = path;
  const request = checkKey("render", () => parseImageRequest(version, path, images.formats));
  const own = withoutPage(identifier).map((name) => images.sources.resolve(name));
  const pages = new Set([1, splitPage(identifier)?.page ?? 1]);
  const views = [
    { hooks: undefined, owners: own },
    ...mapped.map((owner) => ({ hooks: images.hooks && naming(images.hooks, owner), owners: [owner] })),
  ];
  const names: string[] = [];
  for (const { hooks, owners } of views)
    try {
      const name = await withMaster(
        { ...asOperator(images), hooks },
        operatorCaller(identifier),
        async (master) => {
          const { canonical } = await resolveRequest(images, master, request);
          return renderName(master, version, canonical, tier);
        },
      );
      names.push(name);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const spelled = `${region}/${size}/${rotation}/${file}`;
      for (const owner of owners)
        for (const page of pages) names.push(renderName({ ...owner, page }, version, spelled, tier));
    }
  return names;
}

/** Returns hooks that resolve every identifier to one master. */
function naming(hooks: Hooks, { source, key }: Owner): Hooks {
  return {
    ...hooks,
    has: (name) => name === "resolve",
    resolve: async () => ({ key, source: source.name }),
  };
}
