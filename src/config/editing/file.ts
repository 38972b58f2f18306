// The configuration file that the service was started with: shown, saved by the administration pages, and
// reloaded.

import { sha256, toHex } from "../../imaging/lib/digest.ts";
import { withDeadline } from "../../lib/concurrency/bounded-wait.ts";
import { createSemaphore } from "../../lib/concurrency/semaphore.ts";
import type { FileObstacle, FileSystem } from "../../platform/platform.ts";
import { type Env, loadConfig, type Problem, problemLines } from "../reading/load.ts";
import type { Config } from "../schema.ts";
import { editText, type FieldValue, readFields } from "./edit.ts";

/** Applies the live keys of a configuration. Returns the keys that differ and wait for the next start. */
type ApplyLive = (config: Config) => readonly string[];

/** The current state of the file. */
export interface ConfigFileView {
  /** Every editable key, even if nothing can be saved. */
  readonly fields: readonly FieldValue[];
  /** Problems of the file. */
  readonly problems: readonly Problem[];
  /** The configuration of the file as a start would use it; undefined if it has problems. */
  readonly config?: Config;
  /** Digest of the file's bytes; absent if it cannot be read. */
  readonly digest?: string;
  /** Why nothing can be saved, in words for the operator; absent if saving is possible. */
  readonly obstacle?: string;
}

export type Saved =
  | { readonly kind: "unchanged" }
  | {
      readonly kind: "saved";
      /** Paths of the changed keys. */
      readonly changed: readonly string[];
      /** All keys of the file that differ from the running values, and wait for the next start. */
      readonly waits: readonly string[];
      /** Why the saved file is not in effect, if it is not. */
      readonly notApplied?: string;
    }
  | {
      readonly kind: "refused";
      /** Faults of fields by path. */
      readonly wrong: ReadonlyMap<string, string>;
      readonly others: readonly Problem[];
    }
  /** The file has changed since the form was made. */
  | { readonly kind: "stale" }
  /** Nothing was written. */
  | { readonly kind: "failed"; readonly reason: string; readonly cause?: unknown };

/** What a save would do. */
export type Preview =
  /** `changed`: paths of the keys that would change. */
  { readonly kind: "changed"; readonly changed: readonly string[] } | Exclude<Saved, { kind: "saved" }>;

export interface ConfigFile {
  /** Absolute. */
  readonly path: string;
  /** Never rejects, and takes at most two seconds. */
  view(): Promise<ConfigFileView>;
  /** Checks the values of a form as {@link save} does, and writes nothing. Never rejects. */
  preview(values: ReadonlyMap<string, string>, digest: string | undefined): Promise<Preview>;
  /**
   * Writes the values of a form into the file and applies the live ones. `values`: typed values by the path
   * of each field. `digest`: the digest of the form's view; without it the file may have any content. Saves
   * wait for each other. Never rejects.
   */
  save(values: ReadonlyMap<string, string>, digest: string | undefined, take: ApplyLive): Promise<Saved>;
  /**
   * Reads the file again and applies its live keys. Rejects with an Error that lists the problems; nothing is
   * applied then.
   */
  reload(take: ApplyLive): Promise<readonly string[]>;
  /** Removes leftovers of saves that ended with their process. Never rejects. */
  sweep(): Promise<void>;
}

export interface ConfigFileOptions {
  readonly path: string;
  readonly files: FileSystem;
  readonly env: Env;
  /**
   * Turns the configuration of the file into the effective one, for example with absolute paths. May throw
   * with a reason for the operator.
   */
  readonly complete: (config: Config) => Config | Promise<Config>;
}

/** Time limits for reading the file and for a save, in milliseconds. */
const deadlines = { view: 2000, save: 20_000 } as const;

const obstacles: Readonly<Record<FileObstacle, string>> = {
  absent: "the file no longer exists",
  "not-a-file": "the path of the file is not a regular file",
  "read-only": "the file is read-only for this service",
  "folder-read-only":
    "the folder of the file is read-only for this service, which writes a new file next to the old one and then replaces it",
};

/** Meanings of system errors for a save. */
const failures: Readonly<Record<string, string>> = {
  EACCES: "the user of this service may not write there",
  EPERM: "the user of this service may not write there",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EBUSY: "the file itself is a mount, so it cannot be replaced; mount its folder instead",
  ENOENT: "the file no longer exists, or another save was faster",
};

/** Creates a file by its absolute path. */
export function createConfigFile({ path, files, env, complete }: ConfigFileOptions): ConfigFile {
  const inTurn = createSemaphore(1);

  const read = async () => {
    const bytes = await files.readFile(path);
    if (!bytes) throw Object.assign(new Error(obstacles.absent), { code: "ENOENT" });
    return { bytes, digest: toHex(await sha256(bytes)), text: textOf(bytes) };
  };

  const load = async (text: string) => {
    const { config, problems } = loadConfig(text, env);
    if (problems) throw new Error(problemLines(problems, path));
    return complete(config);
  };

  const obstacleNow = async () => {
    if (!files.replacement) return "this runtime cannot replace files";
    const found = await files.replacement.obstacle(path);
    return found && obstacles[found];
  };

  const look = async (): Promise<ConfigFileView> => {
    const obstacle = await obstacleNow();
    const { digest, text } = await read();
    if (text === undefined) return unreadable("the file is not text in UTF-8");
    const { config, fields, problems } = readFields(text, env);
    const completed = config && (await Promise.resolve(complete(config)).catch(() => undefined));
    return {
      fields,
      problems,
      digest,
      ...(completed && { config: completed }),
      ...(obstacle !== undefined && { obstacle }),
    };
  };

  const unreadable = (obstacle: string): ConfigFileView => ({
    fields: readFields("", env).fields,
    problems: [],
    obstacle,
  });

  /** Returns the new text of the file and the digest of the old one, or why there is none. */
  const edit = async (values: ReadonlyMap<string, string>, digest: string | undefined) => {
    const obstacle = await obstacleNow();
    if (obstacle !== undefined) return { kind: "failed", reason: obstacle } as const;
    const before = await read();
    if (digest !== undefined && digest !== before.digest) return { kind: "stale" } as const;
    if (before.text === undefined)
      return { kind: "failed", reason: "the file is not text in UTF-8" } as const;
    const edited = editText(before.text, values, env);
    return edited.kind === "changed" ? { ...edited, digest: before.digest } : edited;
  };

  const save = async (
    values: ReadonlyMap<string, string>,
    digest: string | undefined,
    take: ApplyLive,
  ): Promise<Saved> => {
    const edited = await edit(values, digest);
    if (edited.kind !== "changed" || !files.replacement)
      return edited as Exclude<typeof edited, { kind: "changed" }>;
    await files.replacement.sweep(path);
    // Somebody may have edited it meanwhile.
    const isStill = async () => (await read()).digest === edited.digest;
    if (!(await files.replacement.replace(path, new TextEncoder().encode(edited.text), isStill)))
      return { kind: "stale" };
    const { changed } = edited;
    try {
      return { kind: "saved", changed, waits: take(await load(edited.text)) };
    } catch (error) {
      return { kind: "saved", changed, waits: [], notApplied: messageOf(error) };
    }
  };

  return {
    path,
    view: () => withDeadline(deadlines.view, look).catch((error) => unreadable(reasonOf(error))),
    preview: (values, digest) => withDeadline(deadlines.save, () => edit(values, digest)).catch(failureOf),
    save: (values, digest, take) =>
      withDeadline(deadlines.save, () => inTurn.run(() => save(values, digest, take))).catch(failureOf),
    reload: (take) =>
      inTurn.run(async () => {
        const { text } = await read();
        return take(await load(text ?? ""));
      }),
    sweep: async () => files.replacement?.sweep(path).catch(() => {}),
  };
}

/** Returns undefined if bytes are not UTF-8, so that a save would change them. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

const failureOf = (cause: unknown) => ({ kind: "failed", reason: reasonOf(cause), cause }) as const;

/** Returns the reason of a failure, in words without a path. */
function reasonOf(error: unknown): string {
  const code = (error as { code?: string } | undefined)?.code;
  if (code === undefined)
    return "it did not respond in time, or could not be written back; the log says more";
  return failures[code] ?? `the system says ${code}`;
}
