import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { hashFault } from "../../../../src/server/access/passwords/hash-forms.ts";
import { createStandIns } from "../../../../src/server/access/passwords/stand-in.ts";

/** Hashes of a form, as different from each other as salts make them. */
const hashesOf = (start: string, count: number, seed = "") =>
  Array.from({ length: count }, (_, i) => {
    const digest = createHash("sha512").update(`${seed} ${start} ${i}`).digest("base64").replaceAll("+", ".");
    return start === "$apr1$"
      ? `${start}${digest.slice(0, 8)}$${digest.slice(8, 30)}`
      : start + digest.slice(0, 53);
  });
const [cheap, dear, apr] = ["$2b$10$", "$2y$12$", "$apr1$"] as const;
const list = (seed?: string) => [...hashesOf(cheap, 30, seed), ...hashesOf(dear, 10, seed)];
const names = Array.from({ length: 2000 }, (_, i) => `user${i}`);

/** Returns the cost of each name: the cost of bcrypt, or `1$` for APR1-MD5. */
const costsIn = async (hashes: readonly string[]) => {
  const standIn = createStandIns(hashes);
  return Promise.all(names.map(async (name) => (await standIn(name)).slice(4, 6)));
};

describe("the hash for a name that is not there", () => {
  it("costs the same in each process, in whatever order users are listed", async () => {
    for (const hash of [...list(), ...hashesOf(apr, 1)])
      expect([hash, hashFault(hash)]).toEqual([hash, undefined]);
    expect(await costsIn(list().reverse())).toEqual(await costsIn(list()));
  });

  it("has each cost as often as the real hashes", async () => {
    const dears = (await costsIn(list())).filter((cost) => cost === "12").length;
    // A quarter of 2,000, plus or minus five standard deviations of 19.
    expect(dears).toBeGreaterThan(500 - 97);
    expect(dears).toBeLessThan(500 + 97);
    const mixed = new Set(await costsIn([...list(), ...hashesOf(apr, 20)]));
    expect(mixed).toEqual(new Set(["10", "12", "1$"]));
  });

  it("keeps its cost for nearly all names when a user is added", async () => {
    const before = await costsIn(list());
    // Behind all others, so that the hash which decides stays.
    const after = await costsIn([...list(), `${cheap}${"z".repeat(53)}`]);
    const changed = before.filter((cost, i) => cost !== after[i]).length;
    // 10/40 - 10/41 of 2,000 is 12.
    expect(changed).toBeLessThan(30);
  });

  it("cannot be predicted from the name alone", async () => {
    const one = await costsIn(list("one"));
    const other = await costsIn(list("other"));
    const different = one.filter((cost, i) => cost !== other[i]).length;
    // The expected share is 2 · 1/4 · 3/4.
    expect(different).toBeGreaterThan(600);
  });

  it("has the usual cost if there are no users", async () => {
    const hash = await createStandIns([])("ann");
    expect([hash.slice(0, 7), hashFault(hash)]).toEqual(["$2b$10$", undefined]);
  });
});
