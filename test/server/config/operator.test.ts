// The operator according to the environment, and the doubts about it.

import { describe, expect, test } from "vitest";
import { doubtfulOperator, operatorOf } from "../../../src/server/config/operator.ts";

const env = (user?: string, password?: string) => ({
  SERVICE_ADMIN_USER: user,
  SERVICE_ADMIN_PASS: password,
});

const none = { htpasswd_file: "", change: [] };

test("the operator exists if both variables are set and not empty", () => {
  expect(operatorOf(env("ada", "long enough"))).toEqual({ user: "ada", password: "long enough" });
  for (const partial of [env(), env("ada"), env("ada", ""), env("", "x"), env(undefined, "x")])
    expect(operatorOf(partial)).toBeUndefined();
});

describe("a doubt", () => {
  test.each([
    ["one variable without the other", env("ada"), "SERVICE_ADMIN_PASS"],
    ["the other without the first", env(undefined, "long enough"), "SERVICE_ADMIN_USER"],
    ["a name with a colon, which HTTP Basic cannot send", env("a:b", "long enough"), "SERVICE_ADMIN_USER"],
    ["a short password", env("ada", "stein"), "SERVICE_ADMIN_PASS"],
  ])("is named for %s", (_, given, path) => {
    const doubts = [...doubtfulOperator(given, none)];
    expect(doubts.map((doubt) => doubt.where)).toEqual([path]);
    expect(JSON.stringify(doubts)).not.toMatch(/stein|long enough/);
  });

  test.each([
    ["a file of operators without pages", env(), { htpasswd_file: "/o", change: [] }, "admin.htpasswd_file"],
    [
      "names without a file",
      env("ada", "long enough"),
      { htpasswd_file: "", change: ["bob"] },
      "admin.change",
    ],
  ])("is named for %s", (_, given, options, path) => {
    expect([...doubtfulOperator(given, options)].map((doubt) => doubt.where)).toEqual([path]);
  });

  test("is absent if both are set or neither is", () => {
    expect([...doubtfulOperator(env(), none)]).toEqual([]);
    expect([...doubtfulOperator(env("ada", "long enough"), none)]).toEqual([]);
  });
});
