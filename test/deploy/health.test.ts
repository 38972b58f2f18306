// The health check of the image on Node, at each form of address that the service takes.

import { execFile } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const script = fileURLToPath(new URL("../../deploy/container/health.js", import.meta.url));

const exitCode = (env: NodeJS.ProcessEnv) =>
  new Promise((resolve) => {
    execFile(process.execPath, [script], { env }, (error) => resolve(error ? error.code : 0));
  });

test.each([
  ["127.0.0.1", ""],
  ["127.0.0.1", "0.0.0.0"],
  ["127.0.0.1", "127.0.0.1"],
  ["127.0.0.1", "localhost"],
  ["::1", "[::1]"],
  ["::1", "[::]"],
])("asks at %s if the service listens at %j", async (address, host) => {
  const asked: (string | undefined)[] = [];
  let status = 200;
  const server = createServer(({ url }, response) => {
    asked.push(url);
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  const { port } = server.address() as AddressInfo;
  const env = { SERVICE_ADDR: `${host}:${port}` };
  expect(await exitCode(env)).toBe(0);
  status = 503;
  expect(await exitCode(env)).toBe(1);
  expect(asked).toEqual(["/health", "/health"]);
  await new Promise((resolve) => server.close(resolve));
  expect(await exitCode(env)).toBe(1);
});
