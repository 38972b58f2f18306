// The commands that the start page shows fit how this process was started.

import { expect, test } from "vitest";
import { startCommands } from "../../../../src/server/platform/process/start-commands.ts";

test("a container is suggested again with a mount of the folder that it serves", () => {
  const { folder, config } = startCommands(
    "node",
    "/smalti/container/node.js",
    { SMALTI_IMAGE: "smalti" },
    "/",
  );
  expect(folder).toBe("docker run -p 8080:8080 -v DIR:/images:ro smalti");
  expect(config).toContain(":/config");
});

test.each([
  ["node", "/srv/app/dist/main.js", { npm_lifecycle_event: "start" }, "npm start -- "],
  ["node", "/srv/app/dist/main.js", {}, "node dist/main.js "],
  ["node", "/usr/local/bin/smalti", {}, "smalti "],
  [
    "node",
    "/home/ann/.npm/_npx/0f3a/node_modules/.bin/smalti",
    { npm_lifecycle_event: "npx" },
    "npx smalti ",
  ],
  // A package of the project, and the shims of Windows, which run the file itself.
  ["node", "/srv/site/node_modules/.bin/smalti", { npm_command: "exec" }, "npx smalti "],
  ["node", "/srv/site/node_modules/smalti/dist/main.js", { npm_command: "exec" }, "npx smalti "],
  [
    "node",
    "/srv/site/node_modules/.bin/smalti",
    { npm_command: "exec", npm_lifecycle_event: "dev" },
    "smalti ",
  ],
  ["node", "/srv/app/dist/main.js", { npm_command: "exec" }, "node dist/main.js "],
  ["node", "C:\\npm-cache\\_npx\\0f3a\\node_modules\\smalti\\dist\\main.js", {}, "npx smalti "],
  ["node", "C:\\Users\\ann\\AppData\\Roaming\\npm\\node_modules\\smalti\\dist\\main.js", {}, "smalti "],
  ["node", "/home/ann/.cache/pnpm/dlx/a1b2/node_modules/smalti/dist/main.js", {}, "pnpm dlx smalti "],
  [
    "node",
    "/home/ann/.bun/install/cache/.bunx-1000/smalti@latest/node_modules/.bin/smalti",
    {},
    "bunx smalti ",
  ],
  [
    "deno",
    "/home/ann/.cache/deno/npm/registry.example/smalti/0.1.0/dist/main.js",
    { npm_config_user_agent: "deno/2.9.5 npm/? deno/2.9.5 linux x86_64" },
    "deno run -A npm:smalti ",
  ],
  [
    "bun",
    "/srv/app/dist/main.js",
    { npm_lifecycle_event: "start", npm_config_user_agent: "bun/1.4.5 npm/? node/v26.3.0 linux x64" },
    "bun run start ",
  ],
  [
    "deno",
    "/srv/app/dist/main.js",
    { npm_config_user_agent: "deno/2.9.5 npm/? deno/2.9.5 linux x86_64" },
    "deno task start ",
  ],
  ["node", "/srv/app/dist/main.js", { npm_lifecycle_event: "test" }, "node dist/main.js "],
  ["bun", "/srv/app/dist/main.js", {}, "bun run dist/main.js "],
  [
    "deno",
    "/srv/app/dist/main.js",
    {},
    "deno run --allow-net --allow-read --allow-write --allow-env --allow-sys dist/main.js ",
  ],
] as const)("%s running %s with %o is started again by %s", (runtime, script, env, command) => {
  expect(startCommands(runtime, script, env, "/srv/app")).toEqual({
    folder: `${command}DIR`,
    config: `${command}-config smalti.yaml`,
    program: command.trimEnd(),
  });
});

test("the operator sees the path of a program in another folder, and readers of pages do not", () => {
  const { program, config } = startCommands("node", "/srv/my app/dist/main.js", {}, "/home/ann");
  expect([program, config]).toEqual([
    "node '/srv/my app/dist/main.js'",
    "node dist/main.js -config smalti.yaml",
  ]);
});
