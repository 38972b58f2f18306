// Saves through the operator's configuration page: files are replaced if the runtime has
// them.

import { chmodSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { asOperator } from "../../admin/operator.ts";
import type { Started } from "../server.ts";
import type { OperationTest } from "./operation-test.ts";

export const testConfiguration: OperationTest = (runtime, start) =>
  describe.each([runtime])("the configuration page on $name", () => {
    let server: Started;
    beforeAll(async () => {
      server = await start();
    });

    const page = async () => (await fetch(`${server.url}/admin/config`, { headers: asOperator })).text();

    /** The fields that a browser sends from the page, some of them with new values. */
    async function save(typed: Readonly<Record<string, string>>) {
      const html = await page();
      const fields = new URLSearchParams();
      for (const [, attributes = "", value = ""] of html.matchAll(/<input( [^>]*) value="([^"]*)"/g))
        fields.set(/ name="([^"]+)"/.exec(attributes)?.[1] ?? "", value);
      for (const [, name = "", options = ""] of html.matchAll(
        /<select[^>]* name="([^"]+)"[^>]*>(.*?)<\/select>/g,
      ))
        fields.set(name, /value="([^"]*)" selected/.exec(options)?.[1] ?? "");
      for (const [name, value] of Object.entries(typed)) fields.set(name, value);
      return fetch(`${server.url}/admin/config`, {
        method: "POST",
        body: fields,
        headers: asOperator,
        redirect: "manual",
      });
    }

    const file = () => join(server.directory, "config.yaml");

    if (!runtime.hosted)
      it("replaces the file with its permissions, and applies live keys", async () => {
        chmodSync(file(), 0o640);
        const info = () => fetch(`${server.url}/iiif/3/base.png/info.json`);
        expect((await info()).status).toBe(200);
        const answer = await save({ "image.max_pixel_area": "10", "image.tile_size": "256" });
        expect(answer.status, await answer.text()).toBe(303);
        const text = readFileSync(file(), "utf8");
        expect(text).toContain("max_pixel_area: 10\n");
        expect(text).toContain("root: ./images");
        expect(text).toContain("# of the library");
        expect(statSync(file()).mode & 0o777).toBe(0o640);
        expect(readdirSync(server.directory).filter((name) => name.startsWith("."))).toEqual([]);
        // The picture has 600 by 400 pixels.
        expect((await info()).status).toBe(400);
        expect(await page()).toMatch(/id="waiting".*image\.tile_size/s);
        expect((await save({ "image.max_pixel_area": "1000000" })).status).toBe(303);
        expect((await info()).status).toBe(200);
      });

    if (!runtime.hosted)
      it("refuses a file without write permission, which stays as it is", async () => {
        chmodSync(file(), 0o444);
        const before = readFileSync(file(), "utf8");
        expect((await save({ "image.tile_size": "1024" })).status).toBe(409);
        expect(readFileSync(file(), "utf8")).toBe(before);
        chmodSync(file(), 0o640);
      });

    if (runtime.hosted)
      it("shows the fields disabled, with a note", async () => {
        const html = await page();
        expect(html).toContain('id="obstacle"');
        expect(html.match(/<(input|select)[^>]* disabled/g)).toHaveLength(12);
        expect((await save({ "log.level": "error" })).status).toBe(409);
      });
  });
