// Reads the configuration of a command line: its file, its folder, and the environment variables.

import { createConfigFile } from "../../admin/index.ts";
import { messageOf, type Platform } from "../../base/index.ts";
import {
  absolutePath,
  type Config,
  type ConfigFile,
  type LoadedConfig,
  loadConfig,
  problemLines,
  withAbsolutePaths,
  withFolder,
  withHost,
  withPort,
} from "../../server/index.ts";
import { CommandError } from "./command-error.ts";

/** What a command line says of its configuration; `file` and `folder` are names. */
export interface ConfigLocation {
  readonly file?: string | undefined;
  readonly folder?: string | undefined;
  /** Replaces the host of `addr`: what {@link withHost} takes. */
  readonly host?: string | undefined;
  /** Replaces the port of `addr`. */
  readonly port?: number | undefined;
}

/** A configuration and its file. */
export interface LoadedFile {
  readonly config: Config;
  /** Absolute path of the file, if there is one. */
  readonly file?: string;
  /** Finds the position of a key in the file. */
  readonly find: Extract<LoadedConfig, { config: Config }>["find"];
}

/** Reads and completes the configuration. Throws CommandError if the file cannot be read or is invalid. */
export async function readConfig(platform: Platform, location: ConfigLocation): Promise<LoadedFile> {
  const name = location.file ?? (platform.env.SERVICE_CONFIG || undefined);
  const file = name === undefined ? undefined : absolutePath(platform.cwd ?? "/", name);
  const bytes = file === undefined ? undefined : await readFile(platform, file);
  const loaded = loadConfig(bytes && new TextDecoder().decode(bytes), platform.env);
  if (loaded.problems) throw new CommandError(problemLines(loaded.problems, file ?? "the environment"));
  const config = await completeConfig(platform, location, file, loaded.config);
  return { config, find: loaded.find, ...(file ? { file } : {}) };
}

/** Returns a configuration with absolute paths, and with what the command line says. */
async function completeConfig(
  platform: Platform,
  location: ConfigLocation,
  file: string | undefined,
  written: Config,
): Promise<Config> {
  const base = file === undefined ? (platform.cwd ?? "/") : file.replace(/[^/\\]*$/, "");
  const absolute = withAbsolutePaths(written, base);
  const { host, port } = location;
  const there = host === undefined ? absolute.addr : withHost(absolute.addr, host);
  const config = { ...absolute, addr: port === undefined ? there : withPort(there, port) };
  if (location.folder === undefined) return config;
  if (config.sources.length > 0)
    throw new CommandError(
      `a folder (${location.folder}) and sources in ${file} exclude each other; give one of them`,
    );
  if (!(await isFolder(platform, location.folder)))
    throw new CommandError(
      `${location.folder} is not a readable folder; give a folder of images, or no argument for the sample`,
    );
  return withFolder(config, absolutePath(platform.cwd ?? "/", location.folder));
}

/** Tells whether a path, relative to the working folder, is a folder. */
export async function isFolder({ files, cwd }: Platform, path: string): Promise<boolean> {
  const found = await files?.stat(absolutePath(cwd ?? "/", path)).catch(() => undefined);
  return found?.kind === "directory";
}

/** Returns the file of a configuration, for the administration pages and reloads. */
export function configFileOf(
  platform: Platform,
  location: ConfigLocation,
  path: string | undefined,
): ConfigFile | undefined {
  const { files, env } = platform;
  if (path === undefined || !files) return undefined;
  const complete = (config: Config) => completeConfig(platform, location, path, config);
  return createConfigFile({ path, files, env, complete });
}

async function readFile(platform: Platform, file: string): Promise<Uint8Array> {
  const bytes = await platform.files?.readFile(file).catch((error: unknown) => {
    throw new CommandError(`the configuration file ${file} cannot be read: ${messageOf(error)}`);
  });
  if (!bytes) throw new CommandError(`there is no configuration file ${file}`);
  return bytes;
}
