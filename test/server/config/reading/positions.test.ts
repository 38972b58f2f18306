// Problems of a configuration name their line and column in the file.

import { describe, expect, test } from "vitest";
import { loadConfig, problemLines } from "../../../../src/server/config/reading/load.ts";

/** "line:column path" of each problem; without a position "- path". */
const places = (yaml: string, env: Record<string, string> = {}) =>
  (loadConfig(yaml, env).problems ?? []).map(({ where, position }) =>
    `${position ? `${position.line}:${position.column}` : "-"} ${where}`.trim(),
  );

describe("the position of a problem", () => {
  test.each([
    ["an unknown key", "# ours\nimage:\n  depht: 8\n", ["3:3 image.depht"]],
    ["a value of a block", "log:\n  format: json\n  level: loud\n", ["3:3 log.level"]],
    ["a value of a flow map", "image: { timeout: 5s, tile_size: 1 }\n", ["1:23 image.tile_size"]],
    ["an item of a list", "trusted_proxies:\n  - 10.0.0.0/8\n  - nowhere\n", ["3:5 trusted_proxies.1"]],
    [
      "a key of an item",
      "sources:\n  - name: a\n    type: filesystem\n    bogus: 5\n    root: .\n",
      ["4:5 sources.0.bogus"],
    ],
    [
      "a missing key: what it belongs to",
      "\nsources:\n  - { type: filesystem, root: . }\n",
      ["3:5 sources.0.name"],
    ],
    [
      "a line that ends as on Windows",
      "image:\r\n  timeout: 5s\r\n  tile_size: 1\r\n",
      ["3:3 image.tile_size"],
    ],
    ["a key in quotes", '"image":\n  "tile_size": 1\n', ["2:3 image.tile_size"]],
    ["a value behind an alias", "log: &l\n  level: loud\nhttp: *l\n", ["2:3 log.level", "2:3 http.level"]],
  ])("%s", (_, yaml, expected) => {
    expect(places(yaml)).toEqual(expected);
  });

  test("puts the problems in the order of the file", () => {
    const yaml = "tracing: { otlp_endpoint: 5 }\nhttp: { compression: maybe }\nlog: { level: loud }\n";
    const lines = (loadConfig(yaml, {}).problems ?? []).map(({ position }) => position?.line);
    expect(lines).toEqual([1, 2, 3]);
  });

  test("is absent for the value of a variable, which the file does not contain", () => {
    expect(places("log: { level: info }", { SERVICE_LOG_LEVEL: "loud" })).toEqual(["- log.level"]);
  });

  test("of a variable that is not set is that of the key that names it", () => {
    const yaml = `hook:\n  engine: webhook\n  webhook:\n    url: https://hooks.example.org/\n    secret_env: NOT_SET\n`;
    expect(places(yaml)).toEqual(["5:5 hook.webhook.secret_env"]);
  });

  test("comes first in the line of the problem", () => {
    const { problems = [] } = loadConfig("\nlog:\n  level: loud\n", {});
    expect(problemLines(problems, "smalti.yaml")).toMatch(
      /^the configuration in smalti\.yaml has a problem:\n {2}line 3, column 3: log\.level: expected /,
    );
  });
});
