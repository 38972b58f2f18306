// A file on disk, as the only image of a service: for commands that need no configuration.

import { type FileSystem, type Platform, silentLog, version } from "../../base/index.ts";
import { splitPage } from "../../iiif/index.ts";
import { type Config, createService, type Service, withFolder } from "../../server/index.ts";
import type { Flag } from "./command.ts";
import { CommandError } from "./command-error.ts";

/** The flag for files with several pages. */
export const pageFlag = {
  kind: "number",
  value: "N",
  from: 1,
  to: 999_999_999,
  text: "page of a file with several; by default the first",
} as const satisfies Flag;

/** A configuration, and the identifier of the image in it. */
export interface FileConfig {
  readonly config: Config;
  readonly identifier: string;
}

/**
 * Returns the path of the file that an operand names: without its page, unless a file literally has such a
 * name, as in identifiers.
 */
export async function masterPath(files: FileSystem | undefined, path: string): Promise<string> {
  const existing = await files?.stat(path).catch(() => undefined);
  return existing ? path : (splitPage(path)?.identifier ?? path);
}

/**
 * Makes the folder of a file the only source, and returns the file's name in it. Throws CommandError if there
 * is no such file; `otherwise` says what else to do if nothing is there.
 */
export async function configOfFile(
  config: Config,
  { cwd, files }: Platform,
  path: string,
  otherwise = "",
): Promise<FileConfig> {
  const full = /^([/\\]|[a-z]:)/i.test(path) ? path : `${cwd ?? ""}/${path}`;
  const found = await files?.stat(await masterPath(files, full)).catch(() => undefined);
  const [, folder, name] = /^(.*)[/\\]([^/\\]+)$/s.exec(full) ?? [];
  if (found?.kind !== "file" || folder === undefined || name === undefined)
    throw new CommandError(
      `expected the path of an image file, received ${path}, ${
        found === undefined
          ? `which does not exist here${otherwise}`
          : found.kind === "file"
            ? "which names no file"
            : "which is a folder; name one of the files in it"
      }`,
    );
  return { config: withFolder(config, folder || "/"), identifier: name };
}

/**
 * Runs `work` with a service whose only image is a page of the file; of the configuration it has the limits
 * and the output, but no hooks and rules.
 */
export async function withFile<T>(
  config: Config,
  platform: Platform,
  { path, page = 1 }: { readonly path: string; readonly page?: number | undefined },
  work: (service: Service, identifier: string) => Promise<T>,
): Promise<T> {
  const { auth: _, hook, ...rest } = config;
  const bare = { ...rest, hook: { ...hook, engine: "noop" as const } };
  const { config: own, identifier } = await configOfFile(bare as Config, platform, path);
  const service = await createService(own, platform, silentLog, version);
  try {
    return await work(service, page === 1 ? identifier : `${identifier};${page}`);
  } finally {
    await service.close();
  }
}
