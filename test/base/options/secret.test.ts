import { expect, test } from "vitest";
import { guessableSecret } from "../../../src/base/options/secret.ts";

test.each([
  ["", true],
  ["secret", true],
  ["fifteen letters", true],
  ["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", true],
  ["passwordpassword", true],
  ["changeme-changeme", true],
  ["abcdefgh1234abcdefgh1234abcd", true],
  ["0123456789abcdef", false],
  // `openssl rand -hex 32` and `openssl rand -base64 18`.
  ["5c3f0a4be2f5dd1e3e2f8c0be0d3e2cbb6a5a0a6ce9c3ad2b0a1b3c2f9d8e7a6", false],
  ["q6Zk3nV0x1yB7cD2eF5gH8jL", false],
])("%j can be guessed: %s", (secret, isGuessable) => {
  expect(guessableSecret(secret) !== undefined).toBe(isGuessable);
});

test("the reason does not contain the secret, and says what to do", () => {
  expect(guessableSecret("hunter2")).toMatch(/^has 7 characters, .*openssl rand -hex 32$/);
  expect(guessableSecret("hunter2hunter2hunter2")).toMatch(/^repeats a few characters, .*openssl rand/);
});
