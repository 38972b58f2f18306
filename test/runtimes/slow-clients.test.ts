// A client that does not read its response holds its permit, and is disconnected after `write_timeout`, on
// every runtime that can send a body in pieces.

import { randomFillSync } from "node:crypto";
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runtimesFor } from "./selection.ts";
import { type Started, startServer } from "./server.ts";

const width = 2500;
const height = 2000;
/** Noise, so that the response has 15 MB and does not fit into the buffers of the system. */
const png = await sharp(randomFillSync(Buffer.alloc(width * height * 3)), {
  raw: { width, height, channels: 3 },
})
  .png({ compressionLevel: 1 })
  .toBuffer();

describe.each(runtimesFor("slow clients").filter(({ name }) => !name.startsWith("workerd")))(
  "slow clients of smalti on $name",
  (runtime) => {
    let server: Started;
    beforeAll(async () => {
      server = await startServer(runtime, {
        extra: "write_timeout: 2s\nlimits: { max_in_flight_per_ip: 1 }",
        arrange: (images) => writeFileSync(join(images, "noise.png"), png),
      });
    });
    afterAll(() => server?.close());

    it("are disconnected after write_timeout, and count against the limit of their address until then", async () => {
      const status = async () => (await fetch(`${server.url}/iiif/3/base.png/info.json`)).status;
      const socket = connect(server.port, "127.0.0.1", () =>
        socket.write("GET /iiif/3/noise.png/full/max/0/default.png HTTP/1.1\r\nHost: localhost\r\n\r\n"),
      );
      socket.on("error", () => {});
      await new Promise<void>((resolve) => {
        socket.once("readable", resolve);
      });
      expect(await status()).toBe(429);
      await expect.poll(status, { interval: 200 }).toBe(200);
      socket.destroy();
    });
  },
);
