import { describe, expect, test } from "vitest";
import { readAgentList } from "../../../../src/server/visitors/robots/agent-list.ts";

const read = (text: string) => readAgentList(new TextEncoder().encode(text));

describe("a list of crawlers", () => {
  test("may be an object by their names, as ai.robots.txt publishes it", () => {
    const entry = { operator: "x", respect: "Yes", function: "y", frequency: "z", description: "w" };
    expect(
      read(JSON.stringify({ GPTBot: entry, "Terra Cotta": entry, "MistralAI-User/1.0": entry })),
    ).toEqual(["GPTBot", "Terra Cotta", "MistralAI-User/1.0"]);
  });

  test("may have a name in each line, with comments and any line ends", () => {
    expect(read("# mine\r\nGPTBot\r\n\n  CCBot \rGPTBot\n")).toEqual(["GPTBot", "CCBot"]);
    expect(read("")).toEqual([]);
  });

  test.each([
    ["JSON that is cut", '{"GPTBot": {', /JSON/],
    ["a name that would end its line", '{"a\\nAllow: /": 1}', /received "a\\nAllow/],
    ["a name with a comment", "Bot # one", /without #/],
    ["a name that is no ASCII", "Böt", /ASCII/],
    ["an empty name", '{"": 1}', /expected names/],
    ["a long name", "x".repeat(101), /100/],
    ["too many names", Array.from({ length: 2001 }, (_, n) => `bot${n}`).join("\n"), /2001 agents/],
    ["too many bytes", "#".repeat(2 ** 20 + 1), /1048577 bytes/],
  ])("may not be %s", (_, text, message) => {
    expect(() => read(text)).toThrow(message);
  });

  test("has to be UTF-8", () => {
    expect(() => readAgentList(new Uint8Array([0x41, 0xff]))).toThrow("UTF-8");
  });
});
