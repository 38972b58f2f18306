// Sessions in a folder of this machine, which survive a restart: records as files, and a sweep for expired
// ones.

import { type FileStat, isTemporaryName } from "../../../base/index.ts";
import { type BoundedFiles, boundFiles, type EntryFiles } from "../../stores/filesystem/entry-files.ts";
import { folderFault } from "../../stores/filesystem/folder.ts";
import { entriesOf } from "../../stores/filesystem/sweep.ts";
import type { Session } from "../session.ts";
import { countOf } from "./heap.ts";
import { checkRecords, objectSessions, type RecordStore } from "./objects.ts";
import { expiryOf, maxRecord, readSession, readToken } from "./records.ts";
import type { SessionStore } from "./store.ts";

export interface FolderSessionsOptions {
  readonly files: EntryFiles;
  /** Absolute path of an existing folder. */
  readonly path: string;
  /** Limit of concurrent file calls; default: that of a usual disk. */
  readonly calls?: number;
  readonly maxTokens?: number;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

const recordName = /^[0-9a-f]{64}$/;
/** Milliseconds after which a half-written file is abandoned. */
const strayAge = 60 * 60_000;

/** What a sweep needs to know about a record. It only changes if known networks expire later. */
interface SweptRecord {
  readonly expiresAt: number;
  /** The record, if it is a session. */
  readonly record?: Session;
  /** Session of a token. */
  readonly session?: string;
}

/** Creates a store over the records that the folder already contains. */
export function folderSessions(options: FolderSessionsOptions): SessionStore {
  const { path, maxTokens, now = Date.now } = options;
  const files = boundFiles(options.files, options.calls);
  const root = path.replace(/[/\\]+$/, "");
  const top = `${root}/v1`;
  const records = recordFiles(files, root, top);
  let seen = new Map<string, SweptRecord>();

  /** Returns what is known of the record of that name, or undefined if it cannot be read. */
  const look = async (name: string) => seen.get(name) ?? read(name);
  const read = async (name: string): Promise<SweptRecord | undefined> => {
    const text = await records.read(name);
    const expiresAt = text === undefined ? undefined : expiryOf(text);
    if (text === undefined || expiresAt === undefined) return undefined;
    const record = readSession(text);
    const session = readToken(text)?.session;
    return { expiresAt, ...(record && { record }), ...(session && { session }) };
  };

  const store = objectSessions(records, { ...(maxTokens && { maxTokens }) });

  const count = async () => {
    const time = now();
    const live: Session[] = [];
    for await (const key of records.list("sessions")) {
      const { record } = (await look(`sessions/${key}`)) ?? {};
      if (record && record.expiresAt > time) live.push(record);
    }
    return countOf(live, time);
  };

  const removeStrays = async (folder: string) => {
    for (const { name, link } of await entriesOf(files, `${top}/${folder}`)) {
      if (link || !isTemporaryName(name)) continue;
      const file = `${top}/${folder}/${name}`;
      const stat = await files.stat(file);
      if (stat?.kind === "file" && now() - stat.modified.getTime() > strayAge) await files.remove(file);
    }
  };

  /** Removes networks that are no longer known; adds the others to `next`. */
  const sweepNetworks = async (time: number, next: Map<string, SweptRecord>) => {
    for await (const key of records.list("networks")) {
      const name = `networks/${key}`;
      const before = seen.get(name);
      const found = before && before.expiresAt > time ? before : await read(name);
      if (found && found.expiresAt > time) next.set(name, found);
      else await records.remove(name);
    }
  };

  const sweep = async () => {
    const time = now();
    const next = new Map<string, SweptRecord>();
    for (const folder of ["sessions", "tokens"])
      for await (const key of records.list(folder)) {
        const name = `${folder}/${key}`;
        const found = await look(name);
        if (found && found.expiresAt > time) next.set(name, found);
        else if (folder === "sessions") await store.end(key);
        else if (found?.session !== undefined) await store.removeToken(key, found.session);
        else await records.remove(name);
      }
    await sweepNetworks(time, next);
    seen = next;
    for (const { name: session, kind, link } of await entriesOf(files, `${top}/bound`))
      if (kind === "directory" && !link && recordName.test(session) && !next.has(`sessions/${session}`))
        await store.removeOrphans(session);
    for (const folder of ["sessions", "tokens", "networks"]) await removeStrays(folder);
  };

  const check = async () => {
    const facts = await files.stat(root).catch(throwUnusable);
    if (facts?.kind !== "directory")
      throw new Error(facts ? "The path of the session folder is a file. Set another path." : folderMissing);
    await checkRecords(
      records,
      "A read from the session folder does not return what was just written. Check the disk.",
    ).catch(throwUnusable);
  };

  return { ...store, count, sweep, check };
}

export const folderMissing = "The session folder does not exist. Create it, or set another path.";

/** Wraps errors of the runtime; others are already worded for the operator. */
const throwUnusable = (cause: unknown): never => {
  const { code, name } = cause as { readonly code?: unknown; readonly name?: unknown };
  if (code === undefined && name === "Error") throw cause;
  throw new Error(folderFault(cause), { cause });
};

/** Files below `top`. Anything else there is neither read, followed nor removed. */
function recordFiles(files: BoundedFiles, root: string, top: string): RecordStore {
  const isRecord = (stat: FileStat | undefined) => stat?.kind === "file" && stat.size <= maxRecord;
  return {
    async read(name) {
      const file = `${top}/${name}`;
      const stat = await files.stat(file);
      const bytes = isRecord(stat) ? await files.readFile(file, { plain: true }) : undefined;
      if (bytes) return new TextDecoder().decode(bytes);
      // If the folder itself is gone, such as a lost mount, nothing is known about logins.
      if (!stat && (await files.stat(root))?.kind !== "directory") throw missingFolderError();
      return undefined;
    },
    write: (name, text) =>
      files.writeFile(`${top}/${name}`, new TextEncoder().encode(text), { ownerOnly: true }),
    async remove(name) {
      const file = `${top}/${name}`;
      // Anything but a file was not written here, and may contain other people's data.
      if ((await files.stat(file))?.kind === "file") await files.remove(file);
    },
    async *list(folder) {
      for (const { name, kind, link } of await entriesOf(files, `${top}/${folder}`))
        if (kind === "file" && !link && recordName.test(name)) yield name;
    },
    async removeFolder(folder) {
      const left = await entriesOf(files, `${top}/${folder}`);
      if (left.length === 0) await files.remove(`${top}/${folder}`);
    },
  };
}

const missingFolderError = () => new Error("The session folder does not exist.");
