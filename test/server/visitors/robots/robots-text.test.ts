import { expect, test } from "vitest";
import { readAgentList } from "../../../../src/server/visitors/robots/agent-list.ts";
import { robotsAllowances, robotsOptions } from "../../../../src/server/visitors/robots/options.ts";
import { robotsText } from "../../../../src/server/visitors/robots/robots-text.ts";
import fc from "../../../properties.ts";

const paths = { base: "", images: ["/iiif/3/"], downloads: "/iiif/download/" };
const utf8 = new TextEncoder();

// Characters that end lines and begin comments, besides any others.
const text = fc
  .array(
    fc.oneof(
      fc.constantFrom("\n", "\r", "\u2028", "\u0085", "#", ":", "*", " "),
      fc.string({ unit: "binary" }),
    ),
  )
  .map((parts) => parts.join(""));

const agentsOf = (names: readonly string[]) => {
  try {
    return readAgentList(utf8.encode(JSON.stringify(Object.fromEntries(names.map((name) => [name, 1])))));
  } catch {
    return [];
  }
};

test("no name and no line that is accepted adds a line to the text", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...robotsAllowances),
      fc.array(text, { maxLength: 5 }),
      fc.array(text, { maxLength: 2 }),
      (allow, lines, names) => {
        const accepted = lines.filter((line) => robotsOptions.safeParse({ lines: [line] }).success);
        const agents = names.flatMap((name) => agentsOf([name]));
        const count = (made: string) => made.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/).length;
        const plain = count(robotsText({ allow, lines: [] }, paths, [], []));
        const refused = agents.length > 0 ? agents.length + 2 : 0;
        const made = robotsText({ allow, lines: accepted }, paths, agents, []);
        expect(count(made)).toBe(plain + accepted.length + refused);
      },
    ),
    { numRuns: 1000 },
  );
});

test("the longest text is within the 500 KiB that parsers read (RFC 9309, section 2.5)", () => {
  // Three bytes for each unit of UTF-16.
  const { lines } = robotsOptions.parse({ lines: Array<string>(50).fill("\uffee".repeat(1000)) });
  const names = Array.from({ length: 2000 }, (_, n) => String(n).padStart(100, "x"));
  expect(robotsOptions.safeParse({ lines: [...lines, "a"] }).success).toBe(false);
  const made = robotsText({ allow: "sizes", lines }, paths, agentsOf(names), []);
  expect(made).toContain(names[1999]);
  expect(utf8.encode(made).length).toBeLessThan(500 * 1024);
});
