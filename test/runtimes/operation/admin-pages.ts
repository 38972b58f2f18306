// The operator's pages of folders, images, caches and access.

import { beforeAll, describe, expect, it } from "vitest";
import { asOperator } from "../../admin/operator.ts";
import type { Started } from "../server.ts";
import type { OperationTest } from "./operation-test.ts";

export const testAdminPages: OperationTest = (runtime, start) =>
  describe.each([runtime])("the operator's pages on $name", () => {
    let server: Started;
    beforeAll(async () => {
      server = await start();
    });

    const see = async (path: string) => {
      const answer = await fetch(server.url + path, { headers: asOperator });
      return { status: answer.status, text: await answer.text() };
    };

    it("lists the folders and images of a source", async () => {
      const { status, text } = await see("/admin/browse");
      expect(status).toBe(200);
      expect(text).toContain("/admin/view/base.png");
      expect((await see("/admin/browse/nowhere")).status).toBe(404);
    });

    it("shows an image with its size, and reports a missing one", async () => {
      const { status, text } = await see("/admin/view/base.png");
      expect(status).toBe(200);
      expect(text).toContain("600 × 400 pixels");
      const missing = await see("/admin/view/nowhere.png");
      expect(missing.status).toBe(404);
      expect(missing.text).toContain("There is no such image.");
    });

    it("serves OpenSeadragon to the operator alone", async () => {
      const path = "/admin/static/openseadragon/openseadragon.min.js";
      const { status, text } = await see(path);
      expect(status).toBe(200);
      expect(text).toContain("OpenSeadragon");
      expect((await fetch(server.url + path)).status).toBe(401);
    });

    it("purges an image for scripts, after which it is made again", async () => {
      const tile = `${server.url}/iiif/3/gif-static.gif/0,0,64,64/32,/0/default.jpg`;
      const ask = async () => {
        const answer = await fetch(tile);
        await answer.arrayBuffer();
        return answer.headers.get("Cache-Status");
      };
      await ask();
      await expect.poll(ask).toBe("smalti; hit");
      const answer = await fetch(`${server.url}/admin/api/purge`, {
        method: "POST",
        headers: { ...asOperator, "Content-Type": "application/json" },
        body: '{"identifier":"gif-static.gif"}',
      });
      expect(answer.status).toBe(200);
      expect(await answer.json()).toMatchObject({ purged: { render: 1 }, unsupported: [] });
      expect(await ask()).not.toBe("smalti; hit");
    });

    it("shows caches and access", async () => {
      expect((await see("/admin/cache")).text).toContain("How full they are");
      expect((await see("/admin/auth")).text).toContain("Nothing is gated");
    });
  });
