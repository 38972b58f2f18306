// A separate folder of fixtures, as tests of manifests need it.

import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fixturesFolder } from "../../../host.ts";

export interface Laid {
  readonly root: string;
  /** Copies a fixture to a path below the root. */
  put(path: string, fixture: string): Promise<void>;
  write(path: string, text: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** A configuration of this folder as the only source; `options` of the source, such as `revalidate: 0s`. */
  yaml(options?: string): string;
  drop(): Promise<void>;
}

/** An empty folder. */
export async function layFolder(): Promise<Laid> {
  const root = await mkdtemp(join(tmpdir(), "smalti-manifests-"));
  const prepared = async (path: string) => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    return join(root, path);
  };
  return {
    root,
    put: async (path, fixture) => copyFile(join(fixturesFolder, fixture), await prepared(path)),
    write: async (path, text) => writeFile(await prepared(path), text),
    remove: (path) => rm(join(root, path), { recursive: true }),
    yaml: (options = "revalidate: 0s") =>
      `sources: [{ name: files, type: filesystem, root: ${JSON.stringify(root)}, ${options} }]\n`,
    drop: () => rm(root, { recursive: true, force: true }),
  };
}
