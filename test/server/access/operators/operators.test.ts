// Who is an operator: passwords in a file, their cost, and the end of a removed line.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import bcrypt from "bcryptjs";
import { afterAll, beforeEach, expect, test } from "vitest";
import type { WorkerPort } from "../../../../src/base/platform.ts";
import { silentLog } from "../../../../src/base/telemetry/log.ts";
import { openOperators } from "../../../../src/server/access/operators/operators.ts";
import type { PasswordQuestion } from "../../../../src/server/access/passwords/messages.ts";
import { servePasswords } from "../../../../src/server/access/passwords/worker.ts";
import { nodeFiles } from "../../../../src/server/platform/files/node-files.ts";

const folder = mkdtempSync(join(tmpdir(), "operators-"));
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => {
  checks = 0;
});

const bobs = bcrypt.hashSync("bob's own", 4);
const path = join(folder, "operators");

/** Hashes that the worker was asked to check. */
let checks = 0;

/** A worker in this thread. */
function startWorker(): WorkerPort {
  let hear: (message: unknown) => void = () => {};
  let ask: (question: PasswordQuestion) => void = () => {};
  servePasswords({ post: (reply) => hear(reply), onMessage: (listener) => void (ask = listener) });
  return {
    post(message) {
      checks++;
      ask(message as PasswordQuestion);
    },
    onMessage: (listener) => void (hear = listener),
    onDeath() {},
    kill() {},
  };
}

const platform = { files: nodeFiles(), parallelism: 1, startWorker };
let time = 0;
const now = () => time;
const client = "192.0.2.7";

async function operatorsOf(text: string) {
  writeFileSync(path, text);
  return openOperators({ htpasswd_file: path }, { platform, log: silentLog, owner: "ada", now });
}

const login = (user: string, password: string, from = client) => ({
  user,
  password,
  client: from,
  isOwner: false,
});

test("knows the names of the file by their passwords, and the owner without it", async () => {
  const { identify } = await operatorsOf(`bob:${bobs}\nada:${bobs}\n`);
  expect(await identify(login("bob", "bob's own"))).toBe("bob");
  expect(await identify(login("bob", "bob's"))).toBeUndefined();
  expect(await identify(login("zoe", "bob's own"))).toBeUndefined();
  expect(await identify(login("ada", "bob's own"))).toBeUndefined();
  expect(await identify({ ...login("ada", "x"), isOwner: true })).toBe("ada");
});

test("checks one hash for a page with many pictures, and for pages after it", async () => {
  const { identify } = await operatorsOf(`bob:${bobs}\n`);
  const found = await Promise.all(Array.from({ length: 50 }, () => identify(login("bob", "bob's own"))));
  expect(found).toEqual(Array(50).fill("bob"));
  expect(await identify(login("bob", "bob's own"))).toBe("bob");
  expect(checks).toBe(1);
});

test("has a network that guesses wait, with the correct password too, and no hash is checked for it", async () => {
  const { identify } = await operatorsOf(`bob:${bobs}\n`);
  expect(await identify(login("bob", "bob's own", "198.51.100.7"))).toBe("bob");
  for (let tries = 0; tries < 5; tries++)
    expect(await identify(login("bob", `wrong ${tries}`))).toBeUndefined();
  expect(checks).toBe(6);
  expect(await identify(login("bob", "bob's own"))).toEqual({ waitMs: expect.any(Number) });
  expect(checks).toBe(6);
  expect(await identify(login("bob", "bob's own", "198.51.100.7"))).toBe("bob");
});

test("ends with the line of the file, and with another password", async () => {
  const { identify } = await operatorsOf(`bob:${bobs}\n`);
  expect(await identify(login("bob", "bob's own"))).toBe("bob");
  writeFileSync(path, `bob:${bcrypt.hashSync("another", 4)}\n`);
  time += 2000;
  expect(await identify(login("bob", "bob's own"))).toBeUndefined();
  expect(await identify(login("bob", "another"))).toBe("bob");
  writeFileSync(path, "# nobody\n");
  time += 2000;
  expect(await identify(login("bob", "another"))).toBeUndefined();
});

test("refuses a file with a password in plain text, without writing it", async () => {
  const opened = operatorsOf("bob:plaintext\n");
  await expect(opened).rejects.toThrow("admin.htpasswd_file");
  await expect(opened).rejects.not.toThrow("plaintext:");
});
