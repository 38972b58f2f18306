// A file that stops answering while it is rendered, as on a mount that died since the file was found.

import { expect, test } from "vitest";
import type { FileSystem } from "../../../../src/base/platform.ts";
import { nodeFiles } from "../../../../src/server/platform/files/node-files.ts";
import { served } from "../../../served.ts";

test("a file whose render took too long is checked again before the next one", async () => {
  const { openPlain: _, ...files } = nodeFiles();
  let hangs = false;
  let looks = 0;
  const mount: FileSystem = {
    ...files,
    realPath(path) {
      if (path.endsWith("base.png")) looks++;
      return files.realPath(path);
    },
    async open(path) {
      const file = await files.open(path);
      const read: typeof file.read = async (...range) => {
        if (hangs) await new Promise((resolve) => setTimeout(resolve, 400)); // longer than image.timeout
        return file.read(...range);
      };
      return { ...file, read };
    },
  };
  const { service, get } = await served(
    "image: { timeout: 200ms }\ncache: { render: { backend: none } }",
    {},
    { files: mount },
  );
  const image = (side: number) => get(`/iiif/3/base.png/0,0,9,9/${side},/0/default.jpg`);
  expect((await get("/iiif/3/base.png/info.json")).status).toBe(200);
  const before = looks;
  hangs = true;
  const late = await image(9);
  expect(await late.json()).toMatchObject({ status: 503, code: "render_timeout" });
  expect(looks, "known since it was found").toBe(before);
  await image(8);
  expect(looks).toBeGreaterThan(before);
  await service.close();
});
