// Mapping files: the same rows from each format, and which files are refused.

import { describe, expect, test } from "vitest";
import { parseCsv } from "../../../src/server/hooks/csv.ts";
import { readMapping } from "../../../src/server/hooks/mapping.ts";
import { mappingYamlReader } from "../../../src/server/hooks/mapping-yaml.ts";

const readYaml = mappingYamlReader({});
const read = (name: string, text: string) => readMapping(name, new TextEncoder().encode(text), readYaml);

const yaml = `# shelfmarks
ms-1: scans/0001.tif
ms-2: { key: 0002.tif, source: vault }
007: bond.tif
ms-3:
  key: 0003.tif
  status: 403
  reason: Not yet.
`;
const json = JSON.stringify({
  "ms-1": "scans/0001.tif",
  "ms-2": { key: "0002.tif", source: "vault" },
  "007": "bond.tif",
  "ms-3": { key: "0003.tif", status: 403, reason: "Not yet." },
});
const csv =
  "identifier,key,source,status,reason\r\nms-1,scans/0001.tif\r\nms-2,0002.tif,vault,,\r\n\r\n007,bond.tif\r\nms-3,0003.tif,,403,Not yet.\r\n";

describe.each([
  ["mapping.yaml", yaml],
  ["mapping.YML", yaml],
  ["mapping.json", json],
  ["mapping.csv", csv],
])("%s", (name, text) => {
  test("maps each identifier", async () => {
    const { rows, functions } = await read(name, text);
    expect([...rows].map(([identifier, { results: answers }]) => [identifier, answers]).sort()).toEqual([
      ["007", { resolve: { key: "bond.tif" } }],
      ["ms-1", { resolve: { key: "scans/0001.tif" } }],
      ["ms-2", { resolve: { key: "0002.tif", source: "vault" } }],
      [
        "ms-3",
        { resolve: { key: "0003.tif" }, authorize: { allow: false, status: 403, reason: "Not yet." } },
      ],
    ]);
    expect([...functions].sort()).toEqual(["authorize", "resolve"]);
  });
});

test("rows know their lines", async () => {
  expect([...(await read("a.yaml", yaml)).rows.values()].map(({ line }) => line)).toEqual([2, 3, 4, 5]);
  expect([...(await read("a.csv", csv)).rows.values()].map(({ line }) => line)).toEqual([2, 3, 5, 6]);
});

test("names of object members are identifiers like others", async () => {
  const { rows } = await read("a.json", '{ "__proto__": "a.tif", "constructor": "b.tif" }');
  expect([...rows.keys()]).toEqual(["__proto__", "constructor"]);
  expect(rows.get("toString")).toBeUndefined();
});

test("an overlay is used as it is written", async () => {
  const { rows } = await read("a.yaml", "maps/1: { overlay: { image: stamp.png, opacity: 0.5 } }");
  expect(rows.get("maps/1")?.results).toEqual({ overlay: { image: "stamp.png", opacity: 0.5 } });
});

test("a substitute of true means the image of the profile, in each format", async () => {
  const said = { authorize: { allow: false, substitute: true } };
  expect((await read("a.yaml", "a: { substitute: true }")).rows.get("a")?.results).toEqual(said);
  expect((await read("a.json", '{ "a": { "substitute": true } }')).rows.get("a")?.results).toEqual(said);
  expect((await read("a.csv", "identifier,substitute\na,true\n")).rows.get("a")?.results).toEqual(said);
});

describe("refused with the place", () => {
  test.each([
    ["a.txt", "", /expected a file that ends in \.yaml, \.yml, \.json, \.csv/],
    ["a.yaml", "a: b\nc: [", /not valid YAML.*line 2/],
    ["a.yaml", "- a", /expected identifiers with their keys/],
    ["a.yaml", "a: x\nb: y\na: z\n", /line 3: the identifier "a" is already there, in line 1/],
    ["a.yaml", "a: [b]\n", /line 1: expected a key as text, or columns by name; received \["b"\]/],
    ["a.yaml", "a: { kye: b }\n", /line 1: unknown column "kye"; there are key, source/],
    ["a.yaml", "a: { source: b }\n", /line 1: expected a key with the source/],
    ["a.json", "{", /not valid JSON/],
    ["a.json", '{ "a": 1 }', /"a": expected a key as text/],
    ["a.json", "[]", /expected an object/],
    ["a.csv", "key,identifier\n", /line 1: expected the names of the columns, identifier first/],
    ["a.csv", "identifier,key\na,b,c\n", /line 2: expected 2 fields, received 3/],
    ["a.csv", 'identifier,key\na,"b\n', /line 2: expected a field/],
    ["a.csv", "identifier,kye\na,b\n", /line 2: unknown column "kye"/],
    ["a.csv", "identifier,key\na,b\na,c\n", /line 3: .*in line 2/],
    ["a.csv", "identifier,key\n", /at least one identifier/],
    ["a.yaml", "", /at least one identifier/],
  ])("%s %j", async (name, text, message) => {
    await expect(read(name, text)).rejects.toThrow(message);
  });

  test("bytes that are not UTF-8", async () => {
    await expect(readMapping("a.csv", Uint8Array.of(0x61, 0xff), readYaml)).rejects.toThrow(/UTF-8/);
  });

  test("aliases that grow without end", async () => {
    const lines = ["a0: { overlay: &a0 { x: 1 } }"];
    for (let n = 1; n < 12; n++)
      lines.push(
        `a${n}: { overlay: &a${n} { ${[..."abcdefghi"].map((key) => `${key}: *a${n - 1}`).join(", ")} } }`,
      );
    await expect(read("a.yaml", lines.join("\n"))).rejects.toThrow(/alias/i);
  });
});

test("fields of CSV hold commas, quotes and line breaks in double quotes", () => {
  expect(parseCsv('\u{feff}a,"b,""c""\nd",\n"",x')).toEqual([
    { fields: ["a", 'b,"c"\nd', ""], line: 1 },
    { fields: ["", "x"], line: 3 },
  ]);
  expect(parseCsv("a,")).toEqual([{ fields: ["a", ""], line: 1 }]);
});
