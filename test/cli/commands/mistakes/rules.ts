// Mistakes in rules: what they match, and what they leave open.

import { type Mistake, ways } from "./mistake.ts";

/** A rule behind the others. */
const rule = (match: unknown, says: RegExp, what = `a rule for ${JSON.stringify(match)}`): Mistake => ({
  what,
  plant: ({ auth }) => auth.rules.push({ match, profile: "click" }),
  key: "auth.rules.5.match",
  says,
});
export const rules: readonly Mistake[] = [
  {
    what: "* before all others",
    plant: ({ auth }) => auth.rules.unshift({ match: "*", profile: "password" }),
    key: "auth.rules.1.match",
    says: /never counts, since auth\.rules\.0 \(\*\) matches all.*put it before that one/,
  },
  rule("private/deep/x/*", /never counts, since auth\.rules\.0 \(private\/deep\/\*\).*remove it/),
  {
    what: "a prefix before a longer one",
    plant: ({ auth }) => auth.rules.reverse(),
    key: "auth.rules.4.match",
    says: /never counts, since auth\.rules\.3 \(private\/\*\).*put it before/,
  },
  rule(
    "private/b.png",
    /never counts, since auth\.rules\.1/,
    "an identifier behind the prefix of its folder",
  ),
  rule("private", /never counts, since auth\.rules\.1/, "a folder itself behind its prefix"),
  rule("a.png;2", /never counts, since auth\.rules\.3 \(a\.png\)/, "a page behind its file"),
  rule("private/deep/*", /auth\.rules\.0.*remove it/, "the same rule twice"),
  rule("private/*", /auth\.rules\.1.*list both profiles in one rule/, "one match with two profiles"),
  {
    what: "a click beside a login, as if both were needed",
    plant: ({ auth }) => auth.rules.push({ match: "both/*", profile: ["password", "click"] }),
    key: "auth.rules.5.profile",
    says: /the click of click opens images for which password asks for a login/,
  },
  {
    what: "two logins without labels in one rule",
    plant: ({ auth }) => auth.rules.push({ match: "two/*", profile: ["room", "password"] }),
    key: "auth.rules.5.profile",
    says: /logins room and password under the same words; give each profile a label/,
  },
  rule("private%2Fa.tif", /percent-encoded.*write private\/a\.tif/),
  rule("caf%C3%A9/*", /percent-encoded.*write café\/\*/),
  rule("/name.png", /no identifier can be; write name\.png/),
  rule("/one/*", /no identifier can be; write one\/\*/),
  rule("/*", /no identifier can be; write \*/),
  rule("/", /no identifier can be; write \*/),
  rule("one/", /no identifier can be; write one\/\*/),
  rule("one*", /a prefix with \/\* behind it/),
  rule("*.png", /a prefix with \/\* behind it/),
  rule("one/**", /a prefix with \/\* behind it/),
  rule("one\\*", /a prefix with \/\* behind it/),
  rule("one\\e.png", /no identifier can be/),
  rule("./one/*", /no identifier can be/),
  rule("one/../a.png", /no identifier can be/),
  rule("", /no identifier can be/),
  rule("^one/e", /holds "\^", which has no meaning in rules/),
  rule("one/?.png", /holds "\?"/),
  rule("one/{e,f}.png", /holds "\{e,f\}"/),
  rule("one/[ef].png", /holds "\[ef\]"/),
  rule("name.png, one/e.png", /holds ", "/),
  rule(["one/*"], /expected an identifier/, "a list of matches"),
  rule(" one/*", /has a space/),
  rule("one/e.png ", /has a space/),
  rule("one/e.png\u200b", /invisible character \(U\+200B\)/),
  rule("iiif/3/one/*", /address of an image.*which follows \/iiif\/3\//),
  rule("https://images.example.org/iiif/3/name.png", /address of an image; write only its identifier/),
  rule("name.png/info.json", /address of a response.*without \/info\.json/),
  rule("name.png/full/max/0/default.jpg", /address of a response/),
  rule("https://elsewhere.example.org/*", /no source has url: "\{identifier\}"/),
  rule("maps/*", /source "scans" holds Maps instead of maps.*write Maps\/\*/),
  rule("M/*", /differs from the prefix m\/ of source "museum" in upper and lower case.*write m\/\*/),
  rule("museum/vault/*", /begins with the name of source "museum".*write m\/vault\/\*/),
  rule("scans/one/*", /scans is the name of the source, and identifiers do not begin with it; write one\/\*/),
  rule("m", /alone, and none of the images of source "museum"; write m\/\*/),
  rule("one", /it is a folder.*write one\/\*/),
  rule("nowhere/*", /matches no image: source "scans" holds no nowhere/),
  rule("one/ee.png", /one holds no ee\.png; did you mean one\/e\.png\?/),
  rule("m/valut/*", /holds no valut; did you mean m\/vault\/\*\?/, "a folder of another source, misspelt"),
  rule("notes/*", /no file in this folder has the name of an image/),
  rule(".git/*", /begin with a dot.*remove the rule/),
  {
    what: "a prefix of no source",
    plant({ sources, auth }) {
      sources[0].prefix = "s/";
      auth.rules = [{ match: "z/*", profile: "click" }];
    },
    key: "auth.rules.0.match",
    says: /begins with none of the prefixes of the sources, s\/ and m\/; did you mean/,
  },
  {
    what: "a rule with and without the prefix of the default source",
    plant({ sources, auth }) {
      sources.splice(0, 2, { name: "scans", type: "filesystem", root: "./scans", prefix: "s/" });
      auth.rules = [
        { match: "private/*", profile: "click" },
        { match: "s/private/*", profile: "password" },
      ];
    },
    key: "auth.rules.1.match",
    says: /never counts, since auth\.rules\.0/,
  },
  {
    what: "files that another source has too",
    plant: ({ sources }) =>
      sources.push({ name: "again", type: "filesystem", root: "./museum/vault", prefix: "v/" }),
    key: "auth.rules.2.match",
    says: /protects files that are public as v\/\* too; add a rule for that/,
  },
  {
    what: "a folder that a source around it has too",
    plant({ sources, auth }) {
      sources[1].root = "./scans/one";
      auth.rules[2].match = "m/e.png";
    },
    key: "auth.rules.2.match",
    says: /protects files that are public as one\/e\.png too/,
  },
  {
    what: "a rule for one of http and https",
    plant({ sources, auth }) {
      sources.push({
        name: "web",
        type: "http",
        prefix: "w/",
        url: "{identifier}",
        allowed_hosts: ["127.0.0.1:1"],
      });
      auth.rules.push({ match: "w/https://127.0.0.1:1/secret/*", profile: "click" });
    },
    key: "auth.rules.5.match",
    says: /protects files that are public as w\/http:\/\/127\.0\.0\.1:1\/secret\/\* too/,
  },
  {
    what: "a URL of a host that no source may ask",
    plant({ sources, auth }) {
      sources.push({
        name: "web",
        type: "http",
        prefix: "w/",
        url: "{identifier}",
        allowed_hosts: ["127.0.0.1"],
      });
      auth.rules.push({ match: "w/https://other.example.org/*", profile: "click" });
    },
    key: "auth.rules.5.match",
    says: /is of other\.example\.org, which no source may ask/,
  },
  rule("https://elsewhere.example.org/a?id=1", /remove the part from \?/),
  {
    what: "no rules",
    plant({ auth }) {
      auth.rules = [];
    },
    key: "auth.rules",
    says: /there is no rule, so that every image is public/,
  },
  {
    what: "an empty section",
    plant(config) {
      config.auth = {};
    },
    key: "auth.rules",
    says: /there is no rule, so that every image is public/,
  },
  {
    what: "a profile without a rule",
    plant({ auth }) {
      auth.profiles.spare = ways.click;
    },
    key: "auth.profiles.spare",
    says: /no rule names this profile/,
  },
  {
    what: "a rule of no profile",
    plant({ auth }) {
      auth.rules[0].profile = "Click";
    },
    key: "auth.rules.0.profile",
    says: /expected the name of a profile.*received "Click"/,
  },
  {
    what: "a rule without a profile",
    plant({ auth }) {
      delete auth.rules[0].profile;
    },
    key: "auth.rules.0.profile",
    says: /is missing/,
  },
  {
    what: "a rule with a key that there is not",
    plant({ auth }) {
      auth.rules[0].matches = "b/*";
    },
    key: "auth.rules.0.matches",
    says: /unknown key; did you mean "match"\?/,
  },
  {
    what: "rules beside auth",
    plant(config) {
      config.rules = config.auth.rules;
    },
    key: "rules",
    says: /unknown key/,
  },
];
