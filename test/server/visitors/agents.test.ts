import { expect, test } from "vitest";
import { agentKindOf } from "../../../src/server/visitors/agents.ts";

test.each([
  [
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36",
    "browser",
  ],
  ["Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:150.0) Gecko/20100101 Firefox/150.0", "browser"],
  ["Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "crawler"],
  [
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.3; +https://openai.com/gptbot)",
    "crawler",
  ],
  [
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)",
    "crawler",
  ],
  [
    "Mozilla/5.0 (Linux; Android 5.0) AppleWebKit/537.36 (KHTML, like Gecko) Mobile Safari/537.36 (compatible; Bytespider; spider-feedback@bytedance.com)",
    "crawler",
  ],
  ["CCBot/2.0 (https://commoncrawl.org/faq/)", "crawler"],
  ["meta-externalagent/1.1 (+https://developers.facebook.com/docs/sharing/webmasters/crawler)", "crawler"],
  ["python-requests/2.31.0", "program"],
  ["curl/8.5.0", "program"],
  ["", "program"],
] as const)("%s is a %s", (agent, kind) => {
  expect(agentKindOf(agent)).toBe(kind);
});

test("nobody has to name an agent, and a long one costs no more than a short one", () => {
  expect(agentKindOf(undefined)).toBe("program");
  expect(agentKindOf(`${"x".repeat(1_000_000)} bot`)).toBe("program");
});
