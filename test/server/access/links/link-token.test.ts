// Tokens of signed links: what opens what, until when, and that nothing else does.

import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { createLinkSigner, type LinkScope } from "../../../../src/server/access/links/link-token.ts";

const key = { id: "k1", secret: "0123456789abcdef0123456789abcdef" };
const other = { id: "k2", secret: "fedcba9876543210fedcba9876543210" };
const link = { keyId: "k1", maxSize: 1200, expires: 2_000_000_000 };
const clock = { now: 1_900_000_000_000 };
const signerOf = (...keys: (typeof key)[]) => createLinkSigner(keys, () => clock.now);
const signer = signerOf(key, other);
const image: LinkScope = { identifier: "maps/sheet 1.tif" };
const folder: LinkScope = { prefix: "maps/ä/" };

/** The layout of a token, written a second time by its description. */
function tokenBy({ keyId, maxSize, expires }: typeof link, secret: string, scope: string, scopeLength = 0) {
  const numbers = Buffer.alloc(10);
  numbers.writeUInt32BE(maxSize, 0);
  numbers.writeUInt32BE(expires, 4);
  numbers.writeUInt16BE(scopeLength, 8);
  const head = Buffer.concat([Buffer.from([1, keyId.length]), Buffer.from(keyId), numbers]);
  const mac = createHmac("sha256", secret).update("smalti signed link\n").update(head).update(scope).digest();
  return Buffer.concat([head, mac.subarray(0, 16)]).toString("base64url");
}

test("a token is what its description says", async () => {
  expect(await signer.sign(link, image)).toBe(tokenBy(link, key.secret, "maps/sheet 1.tif"));
  expect(await signer.sign(link, folder)).toBe(tokenBy(link, key.secret, "maps/ä/", 8));
});

test("a token opens its image and no other", async () => {
  const token = await signer.sign(link, image);
  expect(await signer.verify(token, "maps/sheet 1.tif")).toEqual(link);
  for (const name of [
    "maps/sheet 1.tif;2",
    "maps/sheet 2.tif",
    "maps/sheet 1.tif/",
    "Maps/sheet 1.tif",
    "",
    "maps/",
  ])
    expect(await signer.verify(token, name), name).toBeUndefined();
});

test("a token of a folder opens what is below it", async () => {
  const token = await signer.sign(link, folder);
  for (const name of ["maps/ä/1.tif", "maps/ä/b/2.tif;3"])
    expect(await signer.verify(token, name), name).toEqual(link);
  for (const name of ["maps/ä/", "maps/ä", "maps/äx/1.tif", "maps/1.tif", "xmaps/ä/1.tif", "maps/a/1.tif"])
    expect(await signer.verify(token, name), name).toBeUndefined();
});

test("no byte of a token may change", async () => {
  for (const [scope, name] of [
    [image, "maps/sheet 1.tif"],
    [folder, "maps/ä/1.tif"],
  ] as const) {
    const bytes = Buffer.from(await signer.sign(link, scope), "base64url");
    for (let at = 0; at < bytes.length; at++)
      for (let bit = 0; bit < 8; bit++) {
        const changed = Buffer.from(bytes);
        changed[at] = (changed[at] as number) ^ (1 << bit);
        expect(await signer.verify(changed.toString("base64url"), name), `${at}.${bit}`).toBeUndefined();
      }
  }
});

test("a token has one spelling", async () => {
  const token = await signer.sign(link, image);
  expect(token).toHaveLength(Math.ceil((30 * 4) / 3));
  for (const spelling of [
    `${token}=`,
    `${token}A`,
    token.slice(0, -1),
    "",
    "*",
    `${token} `,
    "a".repeat(100_000),
  ])
    expect(await signer.verify(spelling, "maps/sheet 1.tif"), spelling.slice(0, 60)).toBeUndefined();
  // A key id of one letter more leaves bits of the last character unused.
  const long = createLinkSigner([{ ...key, id: "key" }], () => clock.now);
  const odd = await long.sign({ ...link, keyId: "key" }, image);
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const last = alphabet.indexOf(odd.at(-1) as string);
  const twin = odd.slice(0, -1) + alphabet[last ^ 1];
  expect(Buffer.from(twin, "base64url")).toEqual(Buffer.from(odd, "base64url"));
  expect(await long.verify(odd, "maps/sheet 1.tif")).toBeDefined();
  expect(await long.verify(twin, "maps/sheet 1.tif")).toBeUndefined();
});

test("a token ends at its second, also if it was valid before, and a clock that goes back opens it again", async () => {
  const token = await signer.sign(link, image);
  const at = async (seconds: number) => {
    clock.now = seconds * 1000;
    return (await signer.verify(token, "maps/sheet 1.tif")) !== undefined;
  };
  expect([await at(link.expires - 0.001), await at(link.expires), await at(link.expires + 1)]).toEqual([
    true,
    false,
    false,
  ]);
  expect(await at(link.expires - 5)).toBe(true);
});

test("each key opens its own links, until it is removed", async () => {
  const [first, second] = [
    await signer.sign(link, image),
    await signer.sign({ ...link, keyId: "k2" }, image),
  ];
  const opens = async (keys: (typeof key)[], token: string) =>
    (await signerOf(...keys).verify(token, "maps/sheet 1.tif")) !== undefined;
  expect([await opens([key], first), await opens([key], second)]).toEqual([true, false]);
  expect([await opens([other], first), await opens([other], second)]).toEqual([false, true]);
  // A key of the same name with another secret is another key.
  expect(await opens([{ ...other, id: "k1" }], first)).toBe(false);
});

test("a link cannot be made of what a token does not hold", async () => {
  const sign = (changed: Partial<typeof link>, scope: LinkScope = image) =>
    signer.sign({ ...link, ...changed }, scope);
  for (const wrong of [
    sign({ keyId: "k3" }),
    sign({ maxSize: -1 }),
    sign({ expires: 2 ** 32 }),
    sign({}, { prefix: "maps" }),
    sign({}, { prefix: "" }),
    sign({}, { prefix: `${"a".repeat(70_000)}/` }),
  ])
    await expect(wrong).rejects.toThrow(RangeError);
});
