// A folder that holds more than regular files: pipes, sockets, devices, and links of all kinds.

import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runtimesFor } from "./selection.ts";
import { type Started, startServer } from "./server.ts";

const refused = [
  ["a pipe", "pipe.jpg"],
  ["a name below a pipe", "pipe.jpg%2Fa.jpg"],
  ["a link to a pipe", "link-to-pipe.jpg"],
  ["a socket", "socket.jpg"],
  ["a link to a socket", "link-to-socket.jpg"],
  ["a link to a device", "link-to-device.jpg"],
  ["a directory", "directory.jpg"],
  ["a link to nothing", "dangling.jpg"],
  ["a link in a circle", "circle-a.jpg"],
  ["a name below a link in a circle", "circle-a.jpg%2Fa.jpg"],
  ["a link out of the folder", "outside.jpg"],
  ["a name of 256 bytes", "x".repeat(256)],
  ["a name of 256 bytes in fewer characters", encodeURIComponent("ü".repeat(128))],
  ["a name below one of 256 bytes", `${"x".repeat(256)}%2Fa.jpg`],
  ["a path longer than any", Array(600).fill("directory").join("%2F")],
] as const;

describe.each(runtimesFor("files"))(
  "smalti on $name, in a folder with pipes, sockets and links",
  (runtime) => {
    let server: Started;
    let socket: Server | undefined;
    beforeAll(async () => {
      const arrange = (images: string) => {
        const at = (name: string) => join(images, name);
        execFileSync("mkfifo", [at("pipe.jpg")]);
        symlinkSync("pipe.jpg", at("link-to-pipe.jpg"));
        socket = createServer().listen(at("socket.jpg"));
        symlinkSync("socket.jpg", at("link-to-socket.jpg"));
        symlinkSync("/dev/zero", at("link-to-device.jpg"));
        mkdirSync(at("directory.jpg"));
        symlinkSync("nowhere.jpg", at("dangling.jpg"));
        symlinkSync("circle-b.jpg", at("circle-a.jpg"));
        symlinkSync("circle-a.jpg", at("circle-b.jpg"));
        symlinkSync("../config.yaml", at("outside.jpg"));
        symlinkSync("base.png", at("link-to-file.png"));
        symlinkSync("deep", at("link-to-directory"));
      };
      server = await startServer(runtime, { arrange });
    });
    afterAll(async () => {
      await server?.close();
      await new Promise((resolve) => (socket ? socket.close(resolve) : resolve(undefined)));
    });
    const get = (path: string) => fetch(`${server.url}${path}`);

    it("lists regular files, and nothing else", async () => {
      const response = await get("/");
      expect(response.status).toBe(200);
      const page = await response.text();
      for (const name of ["base.png", "gif-static.gif", "deep%2Fbase.png"])
        expect(page.includes(name), name).toBe(true);
      for (const name of ["pipe", "socket", "to-device", "dangling", "circle", "outside"])
        expect(page.includes(name), name).toBe(false);
      // A folder of such a name is a folder.
      expect(page).toContain("/?in=directory.jpg");
      expect(page).not.toContain("/iiif/3/directory.jpg");
    });

    it.each(refused)("finds no image under the name of %s", async (_, name) => {
      const response = await get(`/iiif/3/${name}/info.json`);
      await response.arrayBuffer();
      expect(response.status).toBe(404);
    });

    it("follows a link inside the folder, if the runtime can resolve links", async () => {
      for (const name of ["link-to-file.png", "link-to-directory%2Fbase.png"]) {
        const response = await get(`/iiif/3/${name}/info.json`);
        await response.arrayBuffer();
        expect(response.status).toBe(runtime.links ? 200 : 404);
      }
    });

    it("still responds afterwards", async () => {
      const response = await get("/iiif/3/base.png/full/30,/0/default.jpg");
      expect(response.status).toBe(200);
      expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(0);
    });
  },
);
