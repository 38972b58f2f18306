// The rules for guards in front: what viewers and harvesters ask for passes all of them without a challenge,
// whichever routes the service has, and navigations to pages are challenged.

import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { type Everything, everything } from "../hostile/everything.ts";

const read = (name: string) => readFileSync(new URL(`../../deploy/guards/${name}`, import.meta.url), "utf8");

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: string;
}

interface BotRule {
  readonly name?: string;
  readonly import?: string;
  readonly path_regex?: string;
  readonly expression?: string;
  readonly action?: string;
  readonly challenge?: { readonly algorithm: string; readonly difficulty: number };
}

/** The expressions of Anubis, which are in CEL. */
const expressions: Readonly<Record<string, (asked: Asked) => boolean>> = {
  'method != "GET"': ({ method }) => method !== "GET",
  '"embed" in query': ({ query }) => new URLSearchParams(query).has("embed"),
};

const bots: readonly BotRule[] = parse(read("anubis.yaml")).bots;

/** As lib/policy of Anubis has it: the first rule that matches decides, and without one a request passes. */
function anubis(asked: Asked): boolean {
  for (const { path_regex, expression, action } of bots) {
    const is = expression === undefined ? undefined : expressions[expression];
    const matches = path_regex ? new RegExp(path_regex).test(asked.path) : is?.(asked);
    if (matches) return action === "CHALLENGE";
  }
  return false;
}

interface CloudflareRule {
  readonly expression: string;
  readonly action: string;
}
const cloudflareRules: {
  readonly http_request_firewall_custom: readonly CloudflareRule[];
  readonly http_ratelimit: readonly CloudflareRule[];
} = JSON.parse(read("cloudflare.json"));

/** Evaluates an expression of Cloudflare's rules by the functions and operators that these have. */
function holds(expression: string, { method, path, query }: Asked): boolean {
  const script = expression
    .replaceAll("cf.client.bot", "false")
    .replace(/starts_with\(http\.request\.uri\.path, ("[^"]*")\)/g, "path.startsWith($1)")
    .replace(/http\.request\.uri\.(path|query) contains ("[^"]*")/g, "$1.includes($2)")
    .replaceAll("http.request.uri.path", "path")
    .replaceAll("http.request.method", "method")
    .replace(
      / (eq|ne|and|or|not) |\bnot /g,
      (word) => ({ eq: " === ", ne: " !== ", and: " && ", or: " || ", not: "!" })[word.trim() as "eq"],
    );
  const rest = script.replace(/"[^"]*"|\b(?:path|query|method|startsWith|includes|false)\b/g, "");
  expect(rest).toMatch(/^[ ().=!&|]*$/);
  return new Function("method", "path", "query", `return ${script}`)(method, path, query);
}

function cloudflare(asked: Asked): boolean {
  for (const { expression, action } of cloudflareRules.http_request_firewall_custom)
    if (holds(expression, asked)) return action === "managed_challenge";
  return false;
}

interface Statement {
  readonly RegexMatchStatement?: { readonly RegexString: string };
  readonly ByteMatchStatement?: { readonly SearchString: string };
  readonly NotStatement?: { readonly Statement: Statement };
  readonly AndStatement?: { readonly Statements: readonly Statement[] };
  readonly RateBasedStatement?: { readonly ScopeDownStatement: Statement };
}
interface WafRule {
  readonly Name: string;
  readonly Statement: Statement;
  readonly Action: { readonly Block?: unknown; readonly Challenge?: unknown };
}
const wafRules: readonly WafRule[] = JSON.parse(read("aws-waf.json"));

function isTrue(statement: Statement, asked: Asked): boolean {
  const { RegexMatchStatement, ByteMatchStatement, NotStatement, AndStatement } = statement;
  if (RegexMatchStatement) return new RegExp(RegexMatchStatement.RegexString).test(asked.path);
  if (ByteMatchStatement) return asked.query.includes(ByteMatchStatement.SearchString);
  if (NotStatement) return !isTrue(NotStatement.Statement, asked);
  return AndStatement?.Statements.every((each) => isTrue(each, asked)) === true;
}

const aws = (asked: Asked) =>
  wafRules.some(({ Statement, Action }) => Action.Challenge !== undefined && isTrue(Statement, asked));

/** Each returns true if it challenges a request. */
const guards = { anubis, cloudflare, aws };

let site: Everything;
beforeAll(async () => {
  site = await everything();
});
afterAll(() => site?.close());

const get = (path: string, query = ""): Asked => ({ method: "GET", path, query });

/** Pages for people, the operator's, and an alias, whose prefix the operator adds. */
const isPage = (path: string) => /^\/(?:$|view(?:\/|$)|admin(?:\/|$)|metrics$|old\/)/.test(path);

describe.each(Object.entries(guards))("%s", (_, challenges) => {
  test("challenges no route of the service but pages", () => {
    const paths = site.routes.map(({ path }) => path.replace("*", "a%2Fb/x")).filter((path) => !isPage(path));
    expect(paths.length).toBeGreaterThan(25);
    expect(paths.filter((path) => challenges(get(path)))).toEqual([]);
  });

  test.each([
    "/iiif/3/view%2Fa/full/max/0/default.jpg",
    "/iiif/2/a/info.json",
    "/iiif/presentation/3/view/",
    "/iiif/auth/login/staff",
    "/s/token/iiif/3/a/info.json",
    "/static/viewer/a.js",
    "/.well-known/security.txt",
    "/robots.txt",
  ])("does not challenge %s", (path) => {
    expect(challenges(get(path))).toBe(false);
  });

  test.each(["/", "/view", "/view/", "/view/a/b.jpg"])("challenges a navigation to %s", (path) => {
    expect(challenges(get(path, "q=x"))).toBe(true);
    // In a frame of another site, no cookie would come of it.
    expect(challenges(get(path, "embed=1"))).toBe(false);
  });
});

test("only methods that open pages are challenged, where the guard does not see to it itself", () => {
  for (const method of ["HEAD", "OPTIONS", "POST"])
    for (const challenges of [anubis, cloudflare])
      expect(challenges({ ...get("/view/a"), method })).toBe(false);
});

test("rules of Anubis have one condition, and an action that it knows", () => {
  for (const rule of bots) {
    const conditions = [rule.import, rule.path_regex, rule.expression].filter((each) => each !== undefined);
    expect([rule.name, conditions.length]).toEqual([rule.name, 1]);
    if (rule.expression !== undefined) expect(Object.keys(expressions)).toContain(rule.expression);
    if (rule.import === undefined) expect(["ALLOW", "CHALLENGE"]).toContain(rule.action);
  }
});

describe("what is limited", () => {
  const large = [
    "/iiif/3/a/full/max/0/default.jpg",
    "/iiif/2/a/full/full/0/default.jpg",
    "/iiif/download/pdf/a",
  ];
  const small = [
    "/iiif/3/a/0,0,512,512/512,/0/default.jpg",
    "/iiif/3/a/full/!400,400/0/default.jpg",
    "/iiif/3/a/info.json",
    "/iiif/presentation/3/max/full",
    "/view/max/a",
  ];
  const [rate] = cloudflareRules.http_ratelimit;
  const [{ Statement, Action } = {} as WafRule] = wafRules;
  const limits = {
    cloudflare: (path: string) => holds(rate?.expression ?? "", get(path)),
    aws: (path: string) => isTrue(Statement.RateBasedStatement?.ScopeDownStatement ?? {}, get(path)),
  };

  test.each(Object.entries(limits))(
    "by %s are large images and downloads, and nothing else",
    (_, limited) => {
      expect(large.filter(limited)).toEqual(large);
      expect(small.filter(limited)).toEqual([]);
    },
  );

  test("by AWS WAF are sizes in numbers too", () => {
    expect(limits.aws("/iiif/3/a/full/2000,/0/default.jpg")).toBe(true);
    expect(limits.aws("/iiif/3/a/full/,2000/0/default.jpg")).toBe(true);
    expect(limits.aws("/iiif/3/a/full/!2000,2000/0/default.jpg")).toBe(true);
    expect(limits.aws("/iiif/3/a/0,0,4096,4096/512,512/0/default.jpg")).toBe(false);
  });

  test("is refused, and never challenged", () => {
    expect(rate?.action).toBe("block");
    expect(JSON.stringify(rate)).toContain('"status_code":429');
    expect(JSON.stringify(Action)).toContain('"ResponseCode":429');
    expect(JSON.stringify(Action)).toContain('{"Name":"Access-Control-Allow-Origin","Value":"*"}');
  });
});
