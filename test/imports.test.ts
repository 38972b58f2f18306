// The import laws: which folder may import which, checked against the import lines.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const src = fileURLToPath(new URL("../src/", import.meta.url));

/** Each house to those that it may use, through their doors. */
const houses: Readonly<Record<string, readonly string[]>> = {
  base: [],
  imaging: ["base"],
  iiif: ["base"],
  text: ["base"],
  server: ["base", "imaging", "iiif", "text"],
  doctor: ["base", "imaging", "iiif", "text", "server"],
  admin: ["base", "imaging", "iiif", "text", "server", "doctor"],
  cli: ["base", "imaging", "iiif", "text", "server", "doctor", "admin"],
};

/**
 * Each room of the server to the rooms and files of it that it may use besides itself. A file named here
 * follows its own row alone, and others may import it only if they may import that row.
 */
const rooms: Readonly<Record<string, readonly string[]>> = {
  platform: [],
  stats: ["visitors"],
  reports: [],
  stores: [],
  tracing: [],
  hooks: [],
  workers: [],
  sources: ["stores"],
  access: ["stores", "hooks", "visitors"],
  images: ["workers", "sources", "stores", "hooks", "access", "visitors"],
  manifests: ["sources", "stores", "hooks", "access", "images"],
  downloads: ["sources", "access", "images", "manifests"],
  collection: ["sources", "stores", "access", "images", "manifests"],
  bookmarks: ["stores"],
  visitors: ["stores"],
  config: [
    "bookmarks/options.ts",
    "images/options.ts",
    "hooks/options.ts",
    "images/overlay/options.ts",
    "reports/options.ts",
    "sources/options.ts",
    "stores/options.ts",
    "access/options.ts",
    "access/links/options.ts",
    "access/operators/options.ts",
    "access/doubts/index.ts",
    "manifests/options.ts",
    "manifests/source-texts/opensearch/options.ts",
    "tracing/options.ts",
    "visitors/options.ts",
    "visitors/robots/options.ts",
  ],
  "service.ts": ["*", "!api"],
  "rendering.ts": ["*", "!api"],
  "readiness.ts": [],
  "parts.ts": ["*", "!api"],
  dashboard: ["workers", "images", "sources", "stats", "stores"],
  "sampled.ts": ["workers", "images", "sources", "stores", "stats", "visitors"],
  "start/facts.ts": ["*", "!api"],
  "start/text.ts": ["images", "config", "stores"],
  "start/handler-options.ts": ["config"],
  "start/start.ts": ["*"],
  "start/embed.ts": ["*"],
  api: [
    "visitors",
    "images",
    "manifests",
    "downloads",
    "bookmarks",
    "access",
    "stats",
    "dashboard",
    "config",
    "service.ts",
  ],
  "app.ts": ["api", "stats", "visitors", "service.ts"],
};

const entries = [
  "main.ts",
  "program.ts",
  "imaging.ts",
  "index.ts",
  "workerd.ts",
  "site-search.ts",
  "thread.ts",
  "hook-thread.ts",
  "password-thread.ts",
  "text-thread.ts",
];

const files = (readdirSync(src, { recursive: true }) as string[]).filter(
  (name) => /\.tsx?$/.test(name) && !name.endsWith(".d.ts"),
);

interface Import {
  readonly from: string;
  /** True for `import()`. */
  readonly isLoaded: boolean;
}

function importsOf(text: string): Import[] {
  const found = text.matchAll(
    /^(?:import|export)\s+(type\s)?[^;]*?from\s+"([^"]+)"|^import\s+()"([^"]+)"|\bimport\("([^"]+)"\)/gms,
  );
  return [...found].map((m) => ({ from: (m[2] ?? m[4] ?? m[5]) as string, isLoaded: m[5] !== undefined }));
}

const topOf = (path: string) => path.split("/")[0] as string;

/** The house of a file of src/; undefined for an entry. */
const houseOf = (path: string) => (path.includes("/") ? topOf(path) : undefined);

/** The row of a file of the server in the table of rooms: its own, else that of its room. */
const rowOf = (path: string) => (Object.hasOwn(rooms, path) ? path : topOf(path));

function violations(file: string): string[] {
  const own = houseOf(file);
  if (own && !houses[own]) return [`${file}: ${own} is no house`];
  return importsOf(readFileSync(resolve(src, file), "utf8")).flatMap(({ from, isLoaded }) => {
    if (!from.startsWith(".")) return packageViolations(file, from);
    const target = relative(src, resolve(src, dirname(file), from));
    if (!own || /^\.\.\/translations\/[\w-]+\.json$/.test(target)) return [];
    const house = houseOf(target);
    if (!house) return target.endsWith(".d.ts") ? [] : [`${file}: the entry ${target}`];
    if (house === own) return own === "server" ? roomViolations(file.slice(7), target.slice(7)) : [];
    if (!houses[own]?.includes(house)) return [`${file}: ${target}, of a house above`];
    // What is loaded on demand is a file of its own in the bundle.
    const isDoor = target === `${house}/index.ts` || isLoaded;
    return isDoor ? [] : [`${file}: ${target}, not through the door of ${house}/`];
  });
}

function packageViolations(file: string, name: string): string[] {
  const isEntry = entries.includes(file);
  if (name.startsWith("node:") && !file.startsWith("server/platform/") && !isEntry)
    return [`${file}: ${name} outside server/platform/`];
  const hasRoutes = /^(server\/(api\/|app\.ts$)|admin\/)/.test(file);
  return (name === "hono" || name.startsWith("hono/")) && !hasRoutes
    ? [`${file}: hono outside server/api/, server/app.ts and admin/`]
    : [];
}

/** `file` and `target`: below server/. */
function roomViolations(file: string, target: string): string[] {
  if (target.endsWith(".d.ts")) return [];
  if (target === "index.ts") return [`${file}: its own door`];
  const [own, room] = [rowOf(file), rowOf(target)];
  const rules = file === "index.ts" ? ["*"] : rooms[own];
  if (!rules) return [`${file}: ${own} is not in the table of rooms`];
  if (room === own && own === "api") {
    const [, surface] = file.split("/");
    const [, other] = target.split("/");
    return surface === other || other === "http" ? [] : [`${file}: another surface, ${target}`];
  }
  const named =
    room === own ||
    rules.includes(room) ||
    rules.includes(target) ||
    (rules.includes("*") && !rules.includes(`!${room}`));
  return named ? [] : [`${file}: ${target}`];
}

/**
 * Groups of files that import each other, directly or by way of others. Types count: they have to be
 * understood together too.
 */
function circles(): string[][] {
  const known = new Set(files);
  const targets = new Map(
    files.map((file) => [
      file,
      importsOf(readFileSync(resolve(src, file), "utf8"))
        .map(({ from }) => relative(src, resolve(src, dirname(file), from)))
        .filter((target) => known.has(target)),
    ]),
  );
  const reached = new Map(files.map((file) => [file, reachableFrom(file, targets)]));
  const seen = new Set<string>();
  return files.flatMap((file) => {
    if (seen.has(file)) return [];
    const circle = [...(reached.get(file) ?? [])].filter((other) => reached.get(other)?.has(file));
    for (const member of circle) seen.add(member);
    return circle.length > 1 ? [circle.sort()] : [];
  });
}

function reachableFrom(file: string, targets: ReadonlyMap<string, readonly string[]>): Set<string> {
  const reached = new Set<string>();
  const next = [file];
  for (let at = next.pop(); at !== undefined; at = next.pop())
    for (const target of targets.get(at) ?? [])
      if (!reached.has(target)) {
        reached.add(target);
        next.push(target);
      }
  return reached;
}

describe("imports", () => {
  test("no import cycle goes beyond one folder, types included", () => {
    const beyond = circles().filter((circle) => new Set(circle.map((file) => dirname(file))).size > 1);
    expect(beyond).toEqual([]);
  });

  test("every file imports only what its house and its room may, through doors", () => {
    expect(files.length).toBeGreaterThan(50);
    expect(files.flatMap(violations)).toEqual([]);
  });

  test("only server/images/open.ts opens a master, once access is decided", () => {
    const users = files.filter((file) => /\bopenMaster\b/.test(readFileSync(resolve(src, file), "utf8")));
    expect(users.sort()).toEqual(["server/images/describe.ts", "server/images/open.ts"]);
    const openers = files.filter((file) => {
      const code = readFileSync(resolve(src, file), "utf8");
      return !file.startsWith("server/sources/") && /\bsource\.open\(/.test(code);
    });
    // Overlays, manifest files, annotations and texts are no masters: their operator names them, and callers
    // see them as parts of documents, or as readers of their image.
    expect(openers.sort()).toEqual([
      "server/images/describe.ts",
      "server/images/overlay/overlays.ts",
      "server/manifests/folders/annotation-files.ts",
      "server/manifests/folders/manifest-file.ts",
      "server/manifests/folders/mets-file.ts",
      "server/manifests/texts/page-texts.ts",
    ]);
  });

  test("only iiif/image/mounts.ts spells the paths of the Image API", () => {
    // An alias of the operator's, as an example, is no path of this service.
    const spelled = files.filter((file) =>
      /(?<!\/cantaloupe)\/iiif\/(?:[23]\b|\$\{)/.test(readFileSync(resolve(src, file), "utf8")),
    );
    expect(spelled).toEqual(["iiif/image/mounts.ts"]);
    expect(readFileSync(resolve(src, "../static/home/home.js"), "utf8")).not.toContain("/iiif/");
  });

  test("only the mounts spell the paths of the authorization services", () => {
    const spelled = files.filter((file) => readFileSync(resolve(src, file), "utf8").includes("/iiif/auth/"));
    expect(spelled).toEqual(["iiif/auth-mounts.ts"]);
  });

  test("only the mounts spell the paths of manifests and collections", () => {
    const spelled = files.filter((file) =>
      readFileSync(resolve(src, file), "utf8").replaceAll("../iiif/", "").includes("/iiif/presentation/"),
    );
    expect(spelled).toEqual(["iiif/presentation/mounts.ts"]);
  });

  test("no file asks URL.canParse, which is wrong on Node 20 once it is called often", () => {
    const asking = files.filter((file) =>
      readFileSync(resolve(src, file), "utf8")
        .replace(/`URL\.canParse`/g, "")
        .includes("canParse"),
    );
    expect(asking).toEqual([]);
  });

  test("the tests of imaging/ use nothing of the server", () => {
    const folder = fileURLToPath(new URL("./imaging/", import.meta.url));
    const server =
      /from "(?:\.\.\/)+(src\/(?!(?:imaging|base)\/)|served|servers\/|images\/|workers\/)[^"]*"/g;
    const uses = (readdirSync(folder, { recursive: true }) as string[])
      .filter((name) => name.endsWith(".ts"))
      .flatMap((name) =>
        [...readFileSync(resolve(folder, name), "utf8").matchAll(server)].map(([line]) => `${name}: ${line}`),
      );
    expect(uses).toEqual([]);
  });

  test("only server/platform/ and the entries name the runtime", () => {
    const named = files.filter((file) => {
      if (file.startsWith("server/platform/") || entries.includes(file)) return false;
      const code = readFileSync(resolve(src, file), "utf8").replace(
        /\/\*[\s\S]*?\*\/|\/\/.*|"[^"\n]*"|`[^`]*`/g,
        "",
      );
      return /(?<![.\w])(process|Deno|Bun|navigator)\s*[.[?]/.test(code);
    });
    expect(named).toEqual([]);
  });
});
