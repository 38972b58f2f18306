import { describe, expect, test } from "vitest";
import { maskIdentifier, maskPath } from "../../../src/base/telemetry/mask.ts";
import fc from "../../properties.ts";

const secret = "hunter2";

describe("a path as it may be logged", () => {
  test.each([
    "/iiif/3/base.png/full/max/0/default.jpg",
    "/iiif/3/scans%2Fa%20b.tif;2/info.json",
    "/iiif/2/caf%C3%A9/pct:10,10,80,80/^max/!90/default.png",
    "/iiif/3/image@2x.png/info.json",
    "/iiif/3/https%3A%2F%2Fexample.org%2Fa.jpg/info.json",
    "/iiif/3/salt & pepper=1&signal.png/info.json",
    "/%zz",
  ])("%s stays as it is", (path) => {
    expect(maskPath(path)).toBe(path);
  });

  test.each([
    [`/iiif/3/base.png%3Ftoken=${secret}/info.json`, "/iiif/3/base.png%3F***/info.json"],
    [`/iiif/3/base.png%253Ftoken%253D${secret}/info.json`, "/iiif/3/base.png%3F***/info.json"],
    [`/iiif/3/https%3A%2F%2Fu%3A${secret}%40h.example%2Fa/info.json`, "/iiif/3/***@h.example%2Fa/info.json"],
    [`/iiif/3/https:/u:${secret}@h.example/a/info.json`, "/iiif/3/https:/***@h.example/a/info.json"],
    [`/iiif/3/https:/u:${secret}/x${secret}@h.example/a`, "/iiif/3/https:/***@h.example/a"],
    [`/iiif/3/https:/u:${secret}/x${secret}%40h.example/a`, "/iiif/3/https:/***%40h.example/a"],
    [`/iiif/3/https%3A/%2Fu:x/${secret}%2540h.example/a`, "/iiif/3/https%3A/***%2540h.example/a"],
    [`/user:${secret}@h.example/a`, "/***@h.example/a"],
    [`/a.php;jsessionid=${secret}/b`, "/a.php;jsessionid=***/b"],
    [`/iiif/3/a%23access_token=${secret}/info.json`, "/iiif/3/a%23***/info.json"],
    [
      `/iiif/3/base.png/full/max/0/default.png&sig=${secret}`,
      "/iiif/3/base.png/full/max/0/default.png&sig=***",
    ],
    [`/x%25252525253F${secret}`, "/***"],
  ])("%s is %s", (path, masked) => {
    expect(maskPath(path)).toBe(masked);
  });

  test("has at most 500 characters, and is masked before it is cut", () => {
    const path = maskPath(`/${"a".repeat(300)}:${secret}${"b".repeat(400)}@host`);
    expect(path).toBe("/***@host");
    expect(maskPath(`/${"a".repeat(9000)}`)).toBe(`/${"a".repeat(499)}…`);
  });

  test("takes a time that grows with its length alone", () => {
    // A quadratic way through these would take minutes.
    for (const part of ["http:/", ":@", "%25", ";a", "?#", "@:"]) maskPath(`/${part.repeat(100_000)}`);
    for (const part of ["/", "http:/", "%2525", "%"]) maskPath(`/@http:${part.repeat(200_000)}`);
  });

  test("holds nothing of a query, however often it is encoded", () => {
    const times = fc.integer({ min: 0, max: 6 });
    fc.assert(
      fc.property(fc.webSegment(), times, (name, depth) => {
        let query = `?key=${secret}`;
        for (let i = 0; i <= depth; i++) query = encodeURIComponent(query);
        expect(maskPath(`/iiif/3/${name}${query}/info.json`)).not.toContain(secret);
      }),
    );
  });
});

test("a decoded identifier is masked alike", () => {
  expect(maskIdentifier("scans/a b.tif;2")).toBe("scans/a b.tif;2");
  expect(maskIdentifier(`https://u:${secret}@h.example/a.jpg?sig=${secret}`)).toBe("***@h.example/a.jpg?***");
});
