// The words of comments, test titles and names in src/: what CONTRIBUTING.md and the glossary exclude, and
// the width of comment lines.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { allTexts } from "../scripts/words/texts.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Phrases that a native engineer would not write, with what to write instead. */
const banned: readonly (readonly [phrase: RegExp, instead: string])[] = [
  [/\b(?:undefined|absent|none|nothing|false|true) where\b/i, "if"],
  [/\banew\b/i, "again"],
  [/\bthat which\b/i, "what"],
  [/\bis for nobody\b/i, "is ignored"],
  [/\ball the same\b/i, "anyway, still"],
  [/^Whether\b/, "True if"],
  [/^(?:By|With|As) which\b/, "a sentence with a subject"],
  [/\bis had\b|\bto be had\b/i, "exists, is available"],
  [/\bundefined where\b/i, "undefined if"],
  [
    /\b(?:the|an|its|each|our) answers?\b|\bkept answers?\b/i,
    "the response, the result, the cached derivative",
  ],
  [/\bbeside\b/i, "next to, besides"],
  [/\bso many\b/i, "the given number of"],
  [/\bwhoever\b/i, "anyone who"],
  [/\bhears\b/i, "is told, learns"],
  [/\bof theirs\b/i, "of their own, a noun"],
  [/\bone after the other\b/i, "one at a time, in order"],
  [/\bsome \d/i, "about"],
  [/\bdear(?:er)?\b/i, "expensive"],
  [/\bwhat (?:stands|comes|lies)\b/i, "a noun"],
  [
    /^(?:The same (?:as|for|in|of|with|without|ratio)\b|The same[,.;]|Those\b|Of (?:the|a|an|its)\b)/,
    "a noun that says what it is",
  ],
  [/\bThrows[^.;,:]* when\b/, "if"],
  [/^Its routes?\.$/, "Routes of the page that the file is about"],
  [/\bfor want of\b|\bin turns\b|\bby how\b/i, "a plain sentence"],
];

const all = allTexts(root);
const texts = all.filter(({ kind }) => kind === "comment" || kind === "title");

test.each(banned)("no comment or title has %s; write: %s", (phrase) => {
  const found = texts.filter(({ text }) => phrase.test(text));
  expect(found.map(({ file, line, text }) => `${file}:${line}: ${text}`)).toEqual([]);
});

/** Words that no name in src/ has, with what to write instead; names that the glossary or others give. */
const bannedInNames: readonly (readonly [word: RegExp, instead: string, except: RegExp])[] = [
  [
    /^answer(?:s|ed)?$/,
    "response, result, reply",
    // What operators reply to questions, and names that others rely on.
    /^src\/cli\/commands\/init|^src\/server\/hooks\/hooks\.d\.ts |^src\/cli\/commands\/hook-test|origin_bad_answer/,
  ],
  [
    /^places?$/,
    "permit, index, position, location",
    /[iI]nPlace|[nN]avPlace|yielded_places|precinct\.ts place$|placeOverlay$/,
  ],
  [/^kept$/, "cache, cached, stored", /^$/],
  [/^told$/, "stated, logged, a noun", /^$/],
  [/^(?:party|parties|tickets?)$/, "client, permit", /^$/],
  [/^(?:most|longest)$/, "max", /^$/],
];

const names = all.filter(({ kind, file }) => /^(?:name|value)$/.test(kind) && file.startsWith("src/"));
const functions = names.filter(({ kind }) => kind === "name");

/** Words that are no name of a function by themselves: they say neither what it does nor what it returns. */
const bareNames = new RegExp(
  `^(?:${[
    "about|above|after|along|around|at|before|below|between|by|from|in|into|of|on|over|since|through|to|under|until|with|within|without",
    "again|alone|always|maybe|only|once|when",
    "begun|done|drawn|found|hidden|known|left|lent|lost|made|shown|unknown|written",
    "best|blank|clean|common|distinct|even|flat|late|missing|near|nearest|other|own|plain|quiet|safe|same|stale|strange|whole|wide",
    "(?!embed|exceed|feed|heed|need|proceed|seed|speed|succeed)[a-z]+ed",
  ].join("|")})$`,
);

test("no function in src/ is named by a particle, a participle or an adjective alone; write a verb, or a noun that it returns", () => {
  const found = functions.filter(({ text }) => bareNames.test(text));
  expect(found.map(({ file, line, text }) => `${file}:${line}: ${text}`)).toEqual([]);
});

test.each(bannedInNames)("no name in src/ has %s; write: %s", (word, _, except) => {
  const found = names.filter(({ text }) =>
    text.split(/(?=[A-Z])|_/).some((part) => word.test(part.toLowerCase())),
  );
  expect(found.map(({ file, text }) => `${file} ${text}`).filter((line) => !except.test(line))).toEqual([]);
});

test("no comment line is wider than 110 columns, except for commands and tables, which are indented", () => {
  const comment = /^\s*(?:\/\/|\*|\/\*\*) (?! |biome-ignore)/;
  const files = [...new Set(texts.map(({ file }) => file))];
  const wide = files.flatMap((file) =>
    readFileSync(`${root}/${file}`, "utf8")
      .split("\n")
      .flatMap((line, at) => (comment.test(line) && line.length > 110 ? [`${file}:${at + 1}`] : [])),
  );
  expect(wide).toEqual([]);
});
