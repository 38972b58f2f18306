// An origin that stalls, next to images of a folder: more of its requests than there are permits delay no
// other request.

import sharp from "sharp";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { deferred } from "../deferred.ts";
import { grain } from "../grain.ts";
import { askedForRest, masterOf, type Origin, startOrigin } from "../servers/origin.ts";
import { runtimesFor } from "./selection.ts";
import { pictures, startServer } from "./server.ts";

let origin: Origin;
beforeEach(async () => {
  origin = await startOrigin();
});
afterEach(() => origin.close());

/** Requests that stall at the same time; the server has two places. */
const stalling = 12;

describe.each(runtimesFor("waiting"))("smalti on $name, with an origin that stalls", (runtime) => {
  it("serves all requests for the folder, and the rest when the origin continues", async () => {
    const picture = await grain(1200, 900, 60).png({ compressionLevel: 1 }).toBuffer();
    expect(picture.length, "far more than comes with the first request").toBeGreaterThan(1e6);
    const names = Array.from({ length: stalling }, (_, n) => `${n}.png`);
    for (const name of names) origin.masters.set(name, masterOf(picture, { type: "image/png" }));
    const server = await startServer(runtime, {
      sources: [
        `{ name: web, type: http, prefix: web/, url: "${origin.url}/{identifier}", allow_private: true }`,
      ],
      cache: "{ render: { backend: none }, origin: { backend: heap } }",
      extra: "image: { max_concurrent: 2, memory_budget: 1GiB }\n",
    });
    try {
      const held = deferred();
      origin.behaviour.holdRest = held.promise;
      const remote = names.map((name) =>
        fetch(`${server.url}/iiif/3/web%2F${name}/0,800,64,64/max/0/default.png`),
      );
      for (const answer of remote) answer.catch(() => {}); // heard of below
      await expect.poll(() => askedForRest(origin).size).toBe(stalling);
      for (const name of pictures) {
        const local = await fetch(`${server.url}/iiif/3/${name}/10,20,200,100/max/0/default.png`);
        expect(local.status, name).toBe(200);
        await local.arrayBuffer();
      }
      expect((await fetch(`${server.url}/health`)).status).toBe(200);
      held.resolve();
      const [left, top] = [0, 800];
      const expected = await sharp(picture)
        .extract({ left, top, width: 64, height: 64 })
        .removeAlpha()
        .raw()
        .toBuffer();
      for (const answer of await Promise.all(remote)) {
        expect(answer.status).toBe(200);
        const pixels = await sharp(Buffer.from(await answer.arrayBuffer()))
          .removeAlpha()
          .raw()
          .toBuffer();
        expect(pixels.equals(expected)).toBe(true);
      }
    } finally {
      await server.close();
    }
  });
});
