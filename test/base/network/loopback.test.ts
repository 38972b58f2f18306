// Which addresses are of this machine itself.

import { expect, test } from "vitest";
import { isSafeTransport } from "../../../src/base/network/loopback.ts";

test.each([
  ["https://id.example.org/", true],
  ["http://localhost:8080/", true],
  ["http://LOCALHOST/", true],
  ["http://login.localhost/", true],
  ["http://127.0.0.1/", true],
  ["http://127.255.0.9:1/", true],
  ["http://0x7f.1/", true],
  ["http://[::1]:9/", true],
  ["http://id.example.org/", false],
  ["http://127.0.0.1.example.org/", false],
  ["http://127.example.org/", false],
  ["http://localhost.example.org/", false],
  ["http://notlocalhost/", false],
  ["http://192.168.0.1/", false],
  ["http://[::2]/", false],
  ["http://0.0.0.0/", false],
  ["ftp://localhost/", false],
  ["file:///etc/hosts", false],
  ["javascript:alert(1)", false],
])("%s: %s", (text, safe) => {
  expect(isSafeTransport(new URL(text))).toBe(safe);
});
