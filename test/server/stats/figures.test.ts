import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { figures } from "../../../src/server/stats/figures.ts";

const server = fileURLToPath(new URL("../../../src/server/", import.meta.url));

test("every figure of the table is counted or sampled", () => {
  const code = (readdirSync(server, { recursive: true }) as string[])
    .filter((name) => name.endsWith(".ts") && name !== "stats/figures.ts")
    .map((name) => readFileSync(join(server, name), "utf8"))
    .join("");
  const missing = Object.keys(figures).filter((name) => !code.includes(`"${name}"`));
  expect(missing, "give each its handle in server/stats/parts.ts, or its sample in sampled.ts").toEqual([]);
});
