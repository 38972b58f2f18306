// The cases of the IIIF image validator against the whole application, with fixed seeds in place of chance.
// @module-tag slow

import { beforeAll, describe, expect, test } from "vitest";
import { type Served, served } from "../served.ts";
import { cases, refusals } from "./cases.ts";
import { squareColours, Trial } from "./trial.ts";

let app: Served;
let colours: Awaited<ReturnType<typeof squareColours>>;
beforeAll(async () => {
  app = await served();
  colours = await squareColours();
});

/**
 * Cases of random characters are cheap, so they have many trials. Others draw new sizes and squares each
 * time.
 */
const trials = (name: string) => (name.endsWith("_random") ? 200 : 2);

describe.each([3, 2] as const)("version %i", (version) => {
  const asked = cases.filter((row) => row.level[version] !== undefined);
  const required = (level: number) => (level < 3 ? "level 2 asks for it" : "optional");

  test.each(asked.map((row) => [row.name, row.title, required(row.level[version] ?? 3), row] as const))(
    "%s: %s (%s)",
    async (name, _title, _required, row) => {
      for (let trial = 0; trial < trials(name); trial++)
        await row.run(new Trial(app, version, colours, 1000 * version + trial));
    },
  );

  test.each(
    refusals
      .filter((row) => row.versions.includes(version))
      .map((row) => [row.name, row.title, row] as const),
  )("%s: %s (refused by design)", (_name, _title, row) => row.run(new Trial(app, version, colours, version)));

  test("a backslash in any parameter is refused as that parameter, never taken for a slash", async () => {
    const trial = new Trial(app, version, colours, 1);
    for (const parameter of ["region", "size", "rotation", "quality", "format"] as const) {
      const response = await trial.get({ [parameter]: "a\\b" });
      const { code } = (await response.json()) as { code: string };
      expect([response.status, code]).toEqual([400, `invalid_${parameter}`]);
    }
  });
});
