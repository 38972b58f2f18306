// Commands in messages, for people who have no program `smalti`.

import { expect, test } from "vitest";
import { commands } from "../../../src/cli/commands/rows.ts";
import { createHints } from "../../../src/cli/commands/typed-hints.ts";

const names = commands.map(({ name }) => name);

test.each([
  ["see smalti check --help", "see npx smalti check --help"],
  ["Run smalti hook test --identifier ID: it prints", "Run npx smalti hook test --identifier ID: it prints"],
  ["`smalti DIR` serves; `smalti COMMAND --help`", "`npx smalti DIR` serves; `npx smalti COMMAND --help`"],
  ["Serve:    smalti -config smalti.yaml", "Serve:    npx smalti -config smalti.yaml"],
  ["see smalti --help", "see npx smalti --help"],
  // Not commands.
  ["npx smalti check", "npx smalti check"],
  ["smalti 1.2.3, a IIIF image server", "smalti 1.2.3, a IIIF image server"],
  ["Configuration of smalti. All keys", "Configuration of smalti. All keys"],
  ["smalti recognises a file by its content", "smalti recognises a file by its content"],
  ["/srv/smalti warm/1.tif", "/srv/smalti warm/1.tif"],
])("%j is %j by npx", (text, typed) => expect(createHints("npx smalti", names)(text)).toBe(typed));

test.each(["bunx smalti", "pnpm dlx smalti", "deno run -A npm:smalti"])(
  "%s is put before commands too",
  (program) => {
    expect(createHints(program, names)("see smalti check --help")).toBe(`see ${program} check --help`);
    expect(createHints(program, names)(`see ${program} check`)).toBe(`see ${program} check`);
  },
);

test.each([undefined, "smalti", "node dist/main.js", "npm start --"])(
  "%s leaves messages as they are",
  (program) => {
    expect(createHints(program, names)("see smalti check --help")).toBe("see smalti check --help");
  },
);
