// A process that saves a configuration file over and over, for a test that kills it.

import { createConfigFile } from "../../../src/admin/editing/file.ts";
import { nodeFiles } from "../../../src/server/platform/files/node-files.ts";

const [path = "", dies] = process.argv.slice(2);
const files = nodeFiles();
const replacement = files.replacement as NonNullable<typeof files.replacement>;
const file = createConfigFile({
  path,
  files: {
    ...files,
    replacement: {
      ...replacement,
      // All is written, and nothing is in place yet.
      replace: (path, data, still) =>
        replacement.replace(path, data, async () => {
          if (dies === "before-rename") process.kill(process.pid, "SIGKILL");
          return still();
        }),
    },
  },
  env: {},
  complete: (config) => config,
});

for (let turn = 0; ; turn++) {
  const { fields } = await file.view();
  const values = new Map(fields.map(({ field, value }) => [field.path, value]));
  values.set("image.tile_size", turn % 2 === 0 ? "256" : "1024");
  const { kind } = await file.save(values, undefined, () => []);
  process.stdout.write(`${kind}\n`);
}
