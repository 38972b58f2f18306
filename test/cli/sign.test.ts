// `smalti sign`, as an operator runs it: its links open what they name on a running server.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Built, buildProgram } from "./built.ts";

let built: Built;
let folder: string;
let url: string;
const env = {
  LINK_SECRET: "0123456789abcdef0123456789abcdef",
  OTHER_SECRET: "fedcba9876543210fedcba9876543210",
};

beforeAll(async () => {
  built = await buildProgram();
  folder = mkdtempSync(join(tmpdir(), "smalti-sign-"));
  mkdirSync(join(folder, "masters/a b"), { recursive: true });
  const plain = { create: { width: 600, height: 400, channels: 3, background: "#369" } } as const;
  writeFileSync(join(folder, "masters/a b/1.png"), await sharp(plain).png().toBuffer());
  const config = (
    more: string,
  ) => `sources: [{ name: masters, type: filesystem, root: ${JSON.stringify(join(folder, "masters"))} }]
auth:
  profiles: { staff: { pattern: clickthrough, access_service: { backend: builtin } } }
  rules: [{ match: "*", profile: staff }]
${more}`;
  const keys = "keys: [{ id: new, secret_env: LINK_SECRET }, { id: old, secret_env: OTHER_SECRET }]";
  writeFileSync(join(folder, "smalti.yaml"), config(`signed_links: { ${keys} }\n`));
  writeFileSync(join(folder, "without.yaml"), config(""));
  url = (await built.serve(["-config", join(folder, "smalti.yaml")], { env })).url;
});
afterAll(() => {
  built.remove();
  rmSync(folder, { recursive: true });
});

const sign = (...args: string[]) =>
  built.command(["sign", "-config", "smalti.yaml", ...args], { cwd: folder, env });
const signed = async (...args: string[]) =>
  JSON.parse((await sign(...args, "--json")).out) as Record<string, string>;
const statusOf = async (path: string) => (await fetch(url + path)).status;

describe("smalti sign", () => {
  test("prints two addresses that open the image", async () => {
    expect(await statusOf("/iiif/3/a%20b%2F1.png/info.json")).toBe(401);
    const { code, out } = await sign("a b/1.png", "--max", "300", "--days", "2");
    expect(code).toBe(0);
    const [viewers = "", image = "", end = "", note = ""] = out
      .split("\n")
      .map((line) => line.replace(/^.*: +/, ""));
    expect(viewers).toMatch(/^\/s\/[\w-]+\/iiif\/3\/a%20b%2F1\.png\/info\.json$/);
    expect(((await (await fetch(url + viewers)).json()) as { maxWidth: number }).maxWidth).toBe(300);
    const { width } = await sharp(await (await fetch(url + image)).arrayBuffer()).metadata();
    expect(width).toBe(300);
    const day = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10);
    expect(end).toMatch(/^valid until [\d-]+, up to 300 pixels a side, by the key new$/);
    expect(Math.abs(Date.parse(end.slice(12, 22)) - Date.parse(day))).toBeLessThanOrEqual(86_400_000);
    expect(note).toContain("base_url is not set");
  });

  test("signs folders, with the key that is asked for", async () => {
    const { key, token, max, prefix } = await signed("--prefix", "a b/", "--key", "old");
    expect([key, max, prefix]).toEqual(["old", null, "a b/"]);
    expect(await statusOf(`/s/${token}/iiif/3/a%20b%2F1.png/info.json`)).toBe(200);
  });

  test.each([
    [["a b/2.png"], 1, "no source has an image a b/2.png. Did you mean a b/1.png?"],
    [["a b/1.png", "--key", "lost"], 1, "signed_links has no key lost; it has new, old"],
    [["a b/1.png", "-config", "without.yaml"], 1, "the configuration has no keys to sign with"],
    [[], 2, "sign needs an identifier or --prefix P"],
    [["a b/1.png", "--prefix", "a b/"], 2, "sign needs an identifier or --prefix P"],
    [["--prefix", "a b"], 2, "--prefix expects the beginning of identifiers up to a /"],
    [["a b/1.png", "--max", "0"], 2, "--max"],
  ])("%j ends with %i and says why", async (args, code, text) => {
    const result = await built.command(
      ["sign", ...(args.includes("-config") ? [] : ["-config", "smalti.yaml"]), ...args],
      { cwd: folder, env },
    );
    expect([result.code, result.out]).toEqual([code, ""]);
    expect(result.err).toContain(text);
  });
});
