// Runtimes have different zlibs: a strong entity tag must differ if the bytes differ (RFC 9110, section
// 8.8.1).

import { deflateSync, type ZlibOptions } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { type Served, served } from "../../served.ts";

/**
 * Returns an application whose zlib has other settings, so that the same content compresses to other bytes.
 */
const servedWith = (options: ZlibOptions) =>
  served(
    "",
    {},
    { deflate: async (data, level) => new Uint8Array(deflateSync(data, { level, ...options })) },
  );

let usual: Served;
let other: Served;
beforeAll(async () => {
  usual = await servedWith({});
  other = await servedWith({ memLevel: 7 });
});

async function answer(app: Served, format: string) {
  const response = await app.get(`/iiif/3/base.png/full/200,/0/default.${format}`);
  expect(response.status).toBe(200);
  return { etag: response.headers.get("etag"), bytes: Buffer.from(await response.arrayBuffer()) };
}

describe("under another deflate", () => {
  it.each(["png", "tif"])("%s has other bytes and another ETag", async (format) => {
    const [one, two] = [await answer(usual, format), await answer(other, format)];
    expect(one.bytes.equals(two.bytes)).toBe(false);
    expect(one.etag).not.toBe(two.etag);
  });

  it.each(["jpg", "webp"])("%s has the same bytes and the same ETag", async (format) => {
    const [one, two] = [await answer(usual, format), await answer(other, format)];
    expect(one.bytes.equals(two.bytes)).toBe(true);
    expect(one.etag).toBe(two.etag);
  });
});

describe("under the same deflate", () => {
  it.each(["png", "tif"])("%s has the same ETag in another process", async (format) => {
    const again = await servedWith({});
    expect((await answer(again, format)).etag).toBe((await answer(usual, format)).etag);
  });
});
