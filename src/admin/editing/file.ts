// The configuration file that the service was started with: shown, saved by the administration pages, and
// reloaded.

import {
  createSemaphore,
  type Env,
  type FileObstacle,
  type FileSystem,
  messageOf,
  sha256,
  toHex,
  withDeadline,
} from "../../base/index.ts";
import {
  type ApplyLive,
  type Config,
  type ConfigFile,
  type ConfigFileView,
  loadConfig,
  problemLines,
  type Saved,
} from "../../server/index.ts";
import { editText, readFields } from "./edit.ts";

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
    if (text === undefined) return describeUnreadable("the file is not text in UTF-8");
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

  const describeUnreadable = (obstacle: string): ConfigFileView => ({
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
    view: () => withDeadline(deadlines.view, look).catch((error) => describeUnreadable(reasonOf(error))),
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

const failureOf = (cause: unknown) => ({ kind: "failed", reason: reasonOf(cause), cause }) as const;

/** Returns the reason of a failure, in words without a path. */
function reasonOf(error: unknown): string {
  const code = (error as { code?: string } | undefined)?.code;
  if (code === undefined)
    return "it did not respond in time, or could not be written back; the log says more";
  return failures[code] ?? `the system says ${code}`;
}
