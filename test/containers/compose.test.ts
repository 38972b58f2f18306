// compose.yaml unchanged, run by podman-compose, with images that replace those of Redis and nginx: readers
// reach the images through the cache, operators their pages on a separate port, and sessions survive.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hang } from "../limits.ts";
import { freePort } from "../servers/free-port.ts";
import { podman, podmanCommand, run } from "./podman.ts";

const file = fileURLToPath(new URL("../../deploy/compose.yaml", import.meta.url));
const project = `smalti-test-${process.pid}`;
const images = fileURLToPath(new URL("../fixtures", import.meta.url));
let folder: string;
let env: Record<string, string>;
let readers: string;
let operators: string;

const compose = (...args: readonly string[]) =>
  run(
    "podman-compose",
    [
      `--podman-path=${folder}/podman`,
      "--podman-run-args=--ulimit=nofile=1024:1024 --ulimit=nproc=1000:1000",
      `--file=${file}`,
      `--project-name=${project}`,
      ...args,
    ],
    { env: { ...process.env, ...env } },
  );

const get = async (url: string, headers: Record<string, string> = {}) => {
  const response = await fetch(url, { headers, redirect: "manual" });
  return {
    status: response.status,
    headers: response.headers,
    bytes: new Uint8Array(await response.arrayBuffer()),
  };
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "smalti-compose-"));
  const [program, ...options] = podmanCommand;
  writeFileSync(join(folder, "podman"), `#!/bin/sh\nexec ${program} ${options.join(" ")} "$@"\n`, {
    mode: 0o755,
  });
  const [port, adminPort] = [await freePort(), await freePort()];
  env = {
    IMAGES: images,
    PORT: `${port}`,
    ADMIN_PORT: `${adminPort}`,
    SERVICE_ADMIN_USER: "ada",
    SERVICE_ADMIN_PASS: "analytical",
  };
  readers = `http://127.0.0.1:${port}`;
  operators = `http://127.0.0.1:${adminPort}`;
  podman("tag", "smalti-node", "localhost/smalti:latest");
  compose("up", "--detach", "--no-build");
});
afterAll(() => {
  compose("down", "--volumes");
  podman("rmi", "localhost/smalti:latest");
  rmSync(folder, { recursive: true, force: true });
});

/** The status of a picture through nginx, once smalti has started. */
const ready = () =>
  expect
    .poll(() =>
      get(`${readers}/iiif/3/base.png/info.json`).then(
        ({ status }) => status,
        () => undefined,
      ),
    )
    .toBe(200);

test("serves a folder through the cache of nginx, by the address that its configuration names", async () => {
  await ready();
  const info = await get(`${readers}/iiif/3/base.png/info.json`);
  expect(JSON.parse(new TextDecoder().decode(info.bytes)).id).toBe("http://localhost:8080/iiif/3/base.png");
  const tile = `${readers}/iiif/3/base.png/0,0,64,64/max/0/default.jpg`;
  const first = await get(tile);
  expect([first.status, first.headers.get("X-Cache"), first.bytes[0]]).toEqual([200, "MISS", 0xff]);
  const second = await get(tile);
  expect([second.status, second.headers.get("X-Cache")]).toEqual([200, "HIT"]);
  expect(second.bytes).toEqual(first.bytes);
});

test("keeps operators' pages on a port of this machine, behind a password", async () => {
  await ready();
  const Authorization = `Basic ${btoa("ada:analytical")}`;
  for (const path of ["/admin/", "//admin/", "/%61dmin/", "/metrics"])
    expect((await get(readers + path, { Authorization })).status).toBe(403);
  expect((await get(`${operators}/admin/`)).status).toBe(401);
  expect((await get(`${operators}/admin/`, { Authorization })).status).toBe(200);
  const [{ NetworkSettings }] = JSON.parse(podman("inspect", `${project}_nginx_1`));
  const [{ HostIp }] = NetworkSettings.Ports["8081/tcp"];
  expect(HostIp).toBe("127.0.0.1");
});

test("has derivatives in Redis, which only smalti reaches, and restarts with all its data", async () => {
  await ready();
  await get(`${readers}/iiif/3/base.png/0,0,48,48/max/0/default.jpg`);
  const keys = () => Number(podman("exec", `${project}_redis_1`, "redis-cli", "dbsize"));
  await expect.poll(keys).toBeGreaterThan(0);
  const [{ NetworkSettings }] = JSON.parse(podman("inspect", `${project}_redis_1`));
  expect(Object.keys(NetworkSettings.Networks)).toEqual([`${project}_back`]);
  expect(Object.values(NetworkSettings.Ports).filter(Boolean)).toEqual([]);
  const before = keys();
  const keysOrNone = () => {
    try {
      return keys();
    } catch {
      return 0; // not ready yet
    }
  };
  // SIGKILL, which podman sends after this time, would cost keys that Redis has not written yet.
  podman("restart", `--time=${hang / 1000}`, `${project}_redis_1`);
  await expect.poll(() => keysOrNone()).toBeGreaterThanOrEqual(before);
  await ready();
});
