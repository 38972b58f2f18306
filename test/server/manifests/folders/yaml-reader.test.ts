// Long YAML that a worker reads: a worker that ends or is late says nothing about the text.

import { expect, test } from "vitest";
import type { WorkerPort } from "../../../../src/base/platform.ts";
import { yamlBounds } from "../../../../src/base/text/yaml.ts";
import { readYamlHere } from "../../../../src/server/manifests/folders/manifest-file-text.ts";
import { createYamlReader } from "../../../../src/server/manifests/folders/yaml-reader.ts";

const long = `summary: ${"a ".repeat(40_000)}\n`;
const busy = expect.objectContaining({ name: "ServiceError", kind: "busy" });

type Fate = "answers" | "ends" | "is late";

/** A thread that meets its fate when it is asked. */
function threadOf(fate: Fate): WorkerPort {
  let hear = (_: unknown) => {};
  let die = (_: string) => {};
  return {
    post(question) {
      if (fate === "ends") queueMicrotask(() => die("out of memory"));
      if (fate !== "answers") return;
      const { text } = question as { text: string };
      queueMicrotask(() => hear(readYamlHere(text, yamlBounds.inWorker)));
    },
    onMessage: (listener) => (hear = listener),
    onDeath: (listener) => (die = listener),
    kill() {},
  };
}

test.each(["ends", "is late"] as const)(
  "a worker that %s is no fault of the text, which is read a minute later",
  async (fate) => {
    const fates: Fate[] = [fate, "answers"];
    let time = 0;
    let started = 0;
    const startWorker = () => threadOf(fates[started++] as Fate);
    const reader = createYamlReader({ platform: { startWorker }, readMs: 50, now: () => time });
    await expect(reader.read(long)).rejects.toEqual(busy);
    time = 59_000;
    await expect(reader.read(long)).rejects.toEqual(busy);
    expect(started).toBe(1);
    time = 60_000;
    await expect(reader.read(long)).resolves.toMatchObject({
      value: { summary: "a ".repeat(40_000).trim() },
    });
    await reader.read(long);
    expect(started).toBe(2);
    reader.close();
  },
);

test("a fault of a text is remembered for all who ask", async () => {
  let started = 0;
  const startWorker = () => {
    started++;
    return threadOf("answers");
  };
  const reader = createYamlReader({ platform: { startWorker } });
  const text = `${long}a: [`;
  const [first, again] = [await reader.read(text), await reader.read(text)];
  expect(first.fault).toMatchObject({ level: "problem", position: { line: 2 } });
  expect(again).toBe(first);
  expect(started).toBe(1);
  reader.close();
});
