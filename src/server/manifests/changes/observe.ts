// What manifests there are and what each is made of, by the listings of the sources: no image is opened, and
// a manifest file only if its folder has changed since it was read.

import { createPauses, forEachConcurrently, ServiceError, sha256, toBase64Url } from "../../../base/index.ts";
import type { Auth } from "../../access/auth.ts";
import type { LookParts } from "../../images/look.ts";
import type { Sources } from "../../sources/index.ts";
import type { Source } from "../../sources/source.ts";
import { contentsOf } from "../browse/contents.ts";
import { imagesOf } from "../documents/folder-images.ts";
import { kindOfFolder } from "../documents/folder-kind.ts";
import { membersOf } from "../documents/members.ts";
import { type Folders, listFolder } from "../folders/folders.ts";
import { listingOf } from "../folders/listing.ts";
import { Gate } from "../gate.ts";
import { type FolderLocation, identifierOf, inside, locationOf, parentOf } from "../locations.ts";

export interface ObserveParts {
  readonly images: Pick<LookParts, "access" | "hooks" | "decisions">;
  readonly auth?: Auth | undefined;
  readonly sources: Sources;
  readonly folders: Pick<Folders, "read">;
  /** Manifests of which changes are followed; those that are listed after them are left out. */
  readonly maxManifests?: number;
}

/** The manifests that anyone may read, at one moment. */
export interface Observed {
  /** What they are made of, by their identifiers: equal as long as it is unchanged. */
  readonly versions: ReadonlyMap<string, string>;
  /** True if it is not known whether a manifest exists that was not found: its folder cannot be listed. */
  mayExist(id: string): boolean;
  /** True if there are more manifests than are followed. */
  readonly isCut: boolean;
}

/** What a listing does not say of a folder. */
interface FolderFacts {
  /** Own manifest: that of the folder, or of the images next to its folders. */
  readonly id?: string;
  /** Without those that its manifest file hides. */
  readonly directories: readonly string[];
  /** Folders of annotations or texts, which are parts of its manifest. */
  readonly notes: readonly string[];
}

interface KnownFolder extends FolderFacts {
  readonly state: string;
}

/** Folders that are listed simultaneously. */
const atOnce = 4;
/** Levels of folders; links may lead in a circle. */
const maxLevels = 32;
/** Levels of folders of annotations below images. */
const noteLevels = 3;
/** Folders next to images that are looked into, since they may be parts of the manifest. */
const maxNotes = 200;
const usualManifests = 250_000;

/** Observes manifests again and again; remembers about 300 bytes for each folder. */
export class Observer {
  readonly #parts: ObserveParts;
  #known = new Map<string, KnownFolder>();

  constructor(parts: ObserveParts) {
    this.#parts = parts;
  }

  /** Lists all folders of the sources that can list. Throws `cancelled` if the signal aborts. */
  async observe(signal: AbortSignal): Promise<Observed> {
    const { images, auth, sources, maxManifests = usualManifests } = this.#parts;
    const caller = { identifier: "", path: "", header: () => undefined };
    const gate = new Gate({ images, auth }, caller, "");
    const known = new Map<string, KnownFolder>();
    const versions = new Map<string, string>();
    const unlisted = new Set<string>();
    const pause = createPauses();
    let isCut = false;
    let level: FolderLocation[] = sources.all
      .filter(({ list }) => list !== undefined)
      .map((source) => ({ source, key: "" }));
    for (let depth = 0; level.length > 0 && depth < maxLevels; depth++) {
      const below: FolderLocation[] = [];
      await forEachConcurrently(level, atOnce, async (location) => {
        await pause();
        const found = await this.#look(location, signal).catch((error: unknown) => {
          if (!(error instanceof ServiceError) || error.kind === "cancelled") throw error;
          return undefined;
        });
        if (found === undefined) {
          unlisted.add(nameOf(location));
          return;
        }
        if (found === "none") return;
        const { folder, version } = found;
        known.set(nameOf(location), folder);
        for (const name of folder.directories) below.push(inside(location, name));
        const { id } = folder;
        if (id === undefined || (gate.keepsDocuments(id) && !(await gate.mayRead(id, "rules")))) return;
        if (versions.size < maxManifests) versions.set(id, version);
        else isCut = true;
      });
      level = below;
    }
    this.#known = known;
    const mayExist = (id: string) => isCut || hasUnlisted(sources, unlisted, id);
    return { versions, mayExist, isCut };
  }

  /** Returns a folder with the version of its own manifest; "none" if it does not exist. */
  async #look(location: FolderLocation, signal: AbortSignal) {
    const own = await stateOf(location, signal);
    // The top of a source always exists: a disk that is not mounted is no deletion.
    if (own === undefined) return location.key === "" ? undefined : "none";
    const { listing } = own;
    const around = new Map<string, string>();
    if (listing.images.length > 0)
      for (const name of listing.directories.slice(0, maxNotes))
        around.set(name, (await stateOf(inside(location, name), signal))?.state ?? "");
    const state = await digest([own.state, ...[...around].flat()]);
    const before = this.#known.get(nameOf(location));
    const facts = before?.state === state ? before : await this.#read(location, signal);
    if (facts === undefined) return "none";
    const parts = [own.files];
    for (const name of facts.notes) parts.push(await noteState(inside(location, name), signal, noteLevels));
    return { folder: { ...facts, state }, version: await digest(parts) };
  }

  async #read(location: FolderLocation, signal: AbortSignal): Promise<FolderFacts | undefined> {
    const { sources, folders } = this.#parts;
    const folder = await folders.read(location.source, location.key, undefined, signal);
    if (folder === undefined) return undefined;
    const { notes } = folder.listing;
    const directories = contentsOf(sources, location, folder)
      .filter(({ kind, isHidden }) => kind === "folder" && !isHidden)
      .map(({ name }) => name);
    const kind = kindOfFolder(folder, location, imagesOf(sources, location, folder).length);
    // A whole document of a version that cannot be served has no address.
    const isServed = folder.manifestFile?.newer === undefined;
    const whole = { ...folder, serial: 0, facts: new Map() };
    const isRoot = location.source === sources.default && location.key === "";
    const images = membersOf(this.#parts, location, whole, isRoot).find((member) => member.kind === "images");
    const id =
      kind === "manifest" && isServed
        ? identifierOf(location)
        : kind === "collection"
          ? images?.id
          : undefined;
    return { directories, notes, ...(id !== undefined && { id }) };
  }
}

const nameOf = ({ source, key }: FolderLocation): string => `${source.name}\0${key}`;

/** Returns what a folder holds, with versions where its source has them; undefined if there is none. */
async function stateOf({ source, key }: FolderLocation, signal: AbortSignal) {
  const entries = await listFolder(source, key, signal);
  if (entries === undefined) return undefined;
  const listing = listingOf(entries);
  const { images, texts, annotations, manifestFiles, directories } = listing;
  const files = [...images, ...texts, ...annotations, ...manifestFiles].flatMap(
    ({ name, validator = "" }) => [name, validator],
  );
  const own = await digest(files);
  return { listing, files: own, state: await digest([own, ...directories]) };
}

/** Returns the state of a folder that is part of a manifest, with all below it. */
async function noteState(location: FolderLocation, signal: AbortSignal, levels: number): Promise<string> {
  const found = await stateOf(location, signal);
  if (found === undefined || levels === 1) return found?.state ?? "";
  const below: string[] = [];
  for (const name of found.listing.directories)
    below.push(await noteState(inside(location, name), signal, levels - 1));
  return below.length === 0 ? found.state : digest([found.state, ...below]);
}

/** Returns 96 bits of the SHA-256 of some texts as base64url. */
const digest = async (texts: readonly string[]): Promise<string> =>
  toBase64Url((await sha256(JSON.stringify(texts))).subarray(0, 12));

/** True if a folder that an identifier is in, or that it names, could not be listed. */
function hasUnlisted(sources: Sources, unlisted: ReadonlySet<string>, id: string): boolean {
  if (unlisted.size === 0) return false;
  for (let at: string | undefined = id; at !== undefined; at = parentOf(sources, locationOf(sources, at))) {
    const location: FolderLocation = locationOf(sources, at);
    if (unlisted.has(nameOf(location)) || unlisted.has(topOf(location.source))) return true;
  }
  return false;
}

const topOf = (source: Source): string => nameOf({ source, key: "" });
