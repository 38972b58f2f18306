// The import laws: which folder may import which, checked against the import lines.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const src = fileURLToPath(new URL("../src/", import.meta.url));

/**
 * Folder to the folders and files that it may import besides itself, `lib/`, `errors.ts`, the shared parts of
 * `imaging/` (its `lib/` and `errors.ts`) and the type Platform. `imaging/` imports nothing but itself. A
 * file named here follows its own row alone, and others may import it only if they may import that row.
 */
const allowed: Readonly<Record<string, readonly string[]>> = {
  lib: ["imaging/stages.ts"],
  "errors.ts": [],
  platform: [],
  iiif: [],
  stats: [],
  reports: [],
  stores: [],
  tracing: [],
  hooks: [],
  imaging: [],
  workers: ["imaging"],
  sources: ["stores"],
  access: ["iiif", "stores", "hooks"],
  images: ["iiif", "imaging", "workers", "sources", "stores", "hooks", "access"],
  manifests: ["iiif", "imaging/render/sampling.ts", "sources", "stores", "hooks", "access", "images"],
  collection: ["iiif", "imaging", "sources", "stores", "access", "images", "manifests"],
  bookmarks: ["stores"],
  doctor: ["iiif", "access", "sources", "config"],
  config: [
    "bookmarks/options.ts",
    "images/options.ts",
    "hooks/options.ts",
    "images/overlay/options.ts",
    "reports/options.ts",
    "sources/options.ts",
    "stores/options.ts",
    "access/options.ts",
    "access/doubts/index.ts",
    "manifests/options.ts",
    "tracing/options.ts",
  ],
  "service.ts": ["*", "!api"],
  "rendering.ts": ["*", "!api"],
  "readiness.ts": [],
  "parts.ts": ["*", "!api"],
  dashboard: ["imaging", "workers", "images", "sources", "stats", "stores"],
  "sampled.ts": ["workers", "images", "sources", "stores", "stats"],
  commands: ["*", "!api"],
  "commands/command-error.ts": [],
  "commands/command.ts": [],
  "commands/hash-password.ts": ["access", "commands/command.ts", "commands/command-error.ts"],
  "start/facts.ts": ["*", "!api"],
  "start/text.ts": ["iiif", "images", "config"],
  "start/minute-summary.ts": [],
  "start/handler-options.ts": ["config", "start/library.d.ts"],
  api: [
    "iiif",
    "images",
    "manifests",
    "bookmarks",
    "access",
    "stats",
    "dashboard",
    "config",
    "doctor",
    "service.ts",
  ],
  "app.ts": ["api", "stats", "service.ts"],
  "version.ts": [],
  "cli.ts": ["*"],
  "start/start.ts": ["*"],
  "start/serve.ts": ["*"],
  "start/warm-up.ts": ["*"],
  "start/embed.ts": ["*"],
  "index.ts": ["*"],
  "imaging.ts": ["imaging", "platform"],
  "main.ts": ["platform/oldest-node.ts", "platform/process/own-settings.ts", "program.ts"],
  "program.ts": ["*"],
  "workerd.ts": ["*"],
  "thread.ts": ["*"],
  "hook-thread.ts": ["*"],
  "password-thread.ts": ["*"],
  "text-thread.ts": ["*"],
};

const entries = [
  "main.ts",
  "program.ts",
  "imaging.ts",
  "index.ts",
  "workerd.ts",
  "thread.ts",
  "hook-thread.ts",
  "password-thread.ts",
  "text-thread.ts",
];

const files = (readdirSync(src, { recursive: true }) as string[]).filter(
  (name) => /\.tsx?$/.test(name) && !name.endsWith(".d.ts"),
);

interface Import {
  readonly typeOnly: boolean;
  readonly from: string;
}

function importsOf(text: string): Import[] {
  const found = text.matchAll(
    /^(?:import|export)\s+(type\s)?[^;]*?from\s+"([^"]+)"|^import\s+()"([^"]+)"|\bimport\("([^"]+)"\)/gms,
  );
  return [...found].map((m) => ({ typeOnly: m[1] !== undefined, from: (m[2] ?? m[4] ?? m[5]) as string }));
}

const topOf = (path: string) => path.split("/")[0] as string;

/** The row of a file in the table: its own, else that of its folder. */
const rowOf = (path: string) => (Object.hasOwn(allowed, path) ? path : topOf(path));

function violations(file: string): string[] {
  const text = readFileSync(resolve(src, file), "utf8");
  const own = rowOf(file);
  const rules = allowed[own];
  if (!rules) return [`${file}: ${own} is not in the table`];
  return importsOf(text).flatMap(({ typeOnly, from }) => {
    if (!from.startsWith(".")) {
      if (from.startsWith("node:") && own !== "platform" && !entries.includes(own))
        return [`${file}: ${from} outside platform/`];
      if ((from === "hono" || from.startsWith("hono/")) && own !== "api" && own !== "app.ts")
        return [`${file}: hono outside api/`];
      return [];
    }
    const target = relative(src, resolve(src, dirname(file), from));
    const folder = rowOf(target);
    if (folder === own && own === "api") {
      const [, surface] = file.split("/");
      const [, other] = target.split("/");
      return surface === other || other === "http" ? [] : [`${file}: another surface, ${target}`];
    }
    if (own === "imaging") return folder === own ? [] : [`${file}: the imaging library uses ${target}`];
    const free =
      folder === own ||
      target.startsWith("imaging/lib/") ||
      target === "imaging/errors.ts" ||
      folder === "lib" ||
      folder === "errors.ts" ||
      (target === "platform/platform.ts" && typeOnly);
    const named =
      rules.includes(folder) ||
      rules.includes(target) ||
      (rules.includes("*") && !rules.includes(`!${folder}`));
    return free || named ? [] : [`${file}: ${target}`];
  });
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

  test("every file imports only what its folder may", () => {
    expect(files.length).toBeGreaterThan(50);
    expect(files.flatMap(violations)).toEqual([]);
  });

  test("only images/open.ts opens a master, once access is decided", () => {
    const users = files.filter((file) => /\bopenMaster\b/.test(readFileSync(resolve(src, file), "utf8")));
    expect(users.sort()).toEqual(["images/describe.ts", "images/open.ts"]);
    const openers = files.filter((file) => {
      const code = readFileSync(resolve(src, file), "utf8");
      return topOf(file) !== "sources" && /\bsource\.open\(/.test(code);
    });
    // Overlays and manifest files are no masters: their operator names them, and callers never see them by
    // themselves.
    expect(openers.sort()).toEqual([
      "images/describe.ts",
      "images/overlay/overlays.ts",
      "manifests/folders/manifest-file.ts",
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
    const server = /from "(?:\.\.\/)+(src\/(?!imaging\/)|served|servers\/|images\/|workers\/)[^"]*"/g;
    const uses = (readdirSync(folder, { recursive: true }) as string[])
      .filter((name) => name.endsWith(".ts"))
      .flatMap((name) =>
        [...readFileSync(resolve(folder, name), "utf8").matchAll(server)].map(([line]) => `${name}: ${line}`),
      );
    expect(uses).toEqual([]);
  });

  test("only platform/ and the entries name the runtime", () => {
    const named = files.filter((file) => {
      if (topOf(file) === "platform" || entries.includes(file)) return false;
      const code = readFileSync(resolve(src, file), "utf8").replace(
        /\/\*[\s\S]*?\*\/|\/\/.*|"[^"\n]*"|`[^`]*`/g,
        "",
      );
      return /(?<![.\w])(process|Deno|Bun|navigator)\s*[.[?]/.test(code);
    });
    expect(named).toEqual([]);
  });
});
