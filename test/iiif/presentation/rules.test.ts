// The checks detect faults.

import { describe, expect, test } from "vitest";
import { manifestOf } from "../../../src/iiif/presentation/derive.ts";
import { version2 } from "../../../src/iiif/presentation/v2/document.ts";
import type { Read } from "./checked.ts";
import { base, context, image } from "./facts.ts";
import { problemsOf2 } from "./rules-2.ts";
import { problemsOf3 } from "./rules-3.ts";

const sound = () =>
  manifestOf({ id: "a", label: "a", canvases: [image("a/1.jpg"), image("a/2.jpg")] }, context);
const body = (document: Read) => document.items[0].items[0].items[0].body;

describe("the rules of 3.0", () => {
  test("accept a sound manifest", () => expect(problemsOf3(sound())).toEqual([]));

  test.each<[string, (document: Read) => void]>([
    ["no context", (d) => delete d["@context"]],
    ["no label", (d) => delete d.label],
    ["a label that is a text", (d) => (d.label = "a")],
    ["a language that is none", (d) => (d.label = { english: ["a"] })],
    ["no canvases", (d) => (d.items = [])],
    ["an unknown member", (d) => (d.colour = "red")],
    ["a relative id", (d) => (d.id = "a/b")],
    ["a canvas twice", (d) => d.items.push(d.items[0])],
    ["a canvas without a height", (d) => delete d.items[0].height],
    ["an annotation without a target", (d) => delete d.items[0].items[0].items[0].target],
    ["an annotation on another canvas", (d) => (d.items[0].items[0].items[0].target = d.items[1].id)],
    ["an image service without a type", (d) => delete body(d).service[0].type],
    [
      "a service with a context",
      (d) => (body(d).service[0]["@context"] = "http://iiif.io/api/image/3/context.json"),
    ],
    ["a behaviour of canvases", (d) => (d.behavior = ["non-paged"])],
    ["behaviours that exclude each other", (d) => (d.behavior = ["paged", "unordered"])],
    ["a licence with https", (d) => (d.rights = "https://creativecommons.org/licenses/by/4.0/")],
    ["a date without a time", (d) => (d.navDate = "1998-01-01")],
    ["a start outside", (d) => (d.start = { id: "https://example.org/x", type: "Canvas" })],
    ["a homepage without a label", (d) => (d.homepage = [{ id: "https://example.org/", type: "Text" }])],
    ["a thumbnail that is no list", (d) => (d.thumbnail = d.thumbnail[0])],
  ])("find %s", (_, spoil) => {
    const document: Read = JSON.parse(JSON.stringify(sound()));
    spoil(document);
    expect(problemsOf3(document)).not.toEqual([]);
  });
});

describe("the rules of 2.1", () => {
  const written = (): Read => JSON.parse(JSON.stringify(version2(sound(), base)));

  test("accept a sound manifest", () => expect(problemsOf2(written())).toEqual([]));

  test.each<[string, (document: Read) => void]>([
    ["the context of 3.0", (d) => (d["@context"] = "http://iiif.io/api/presentation/3/context.json")],
    ["no label", (d) => delete d.label],
    ["a language map", (d) => (d.label = { en: ["a"] })],
    ["a member of 3.0", (d) => (d.summary = "x")],
    ["no sequence", (d) => delete d.sequences],
    ["a canvas without a width", (d) => delete d.sequences[0].canvases[0].width],
    ["an image without its address", (d) => delete d.sequences[0].canvases[0].images[0].resource["@id"]],
    [
      "a service without a context",
      (d) => delete d.sequences[0].canvases[0].images[0].resource.service["@context"],
    ],
    ["a short profile", (d) => (d.sequences[0].canvases[0].images[0].resource.service.profile = "level2")],
    ["a hint of collections", (d) => (d.viewingHint = "multi-part")],
  ])("find %s", (_, spoil) => {
    const document = written();
    spoil(document);
    expect(problemsOf2(document)).not.toEqual([]);
  });
});
