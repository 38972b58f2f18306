// The requirements of links to views on the runtime.

import { expect, test } from "vitest";
import type { Platform } from "../../../src/base/platform.ts";
import { buildContentStates } from "../../../src/server/bookmarks/content-states.ts";
import { contentStateOptions } from "../../../src/server/bookmarks/options.ts";
import { testHost } from "../../host.ts";

const withoutFiles = {
  ...(testHost as unknown as Platform),
  env: {},
  files: undefined,
} as unknown as Platform;
const build = (content_state: object) =>
  buildContentStates(contentStateOptions.parse(content_state), {
    platform: withoutFiles,
    folders: 1,
    presentation: true,
  });

test("a runtime without files refuses to start with a store of states, and names the option", () => {
  expect(() => build({ store: { enabled: true, dir: "/states" } })).toThrow(
    /content_state\.store needs files.*Switch it off/,
  );
});

test("a runtime without files still mints and reads states", () => {
  expect(build({})).toEqual({});
});
