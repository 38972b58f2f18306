// What a container of each image may do, its size, and that it starts, stops and dies cleanly.

import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hang } from "../limits.ts";
import { connectClient } from "../runtimes/kept-connection.ts";
import { everything } from "../sampled.ts";
import { freePort } from "../servers/free-port.ts";
import {
  cacheFolder,
  podman,
  podmanAsync,
  podmanCommand,
  removeContainers,
  run,
  runCommand,
} from "./podman.ts";

interface Image {
  readonly name: string;
  readonly title: string;
  /** Variables and arguments for a port of this machine. */
  at(port: number): { readonly env: readonly string[]; readonly args: readonly string[] };
  /** The command as people type it. */
  readonly command: string;
  /** The text of its runtime's licence, if npm has none. */
  readonly licence?: string;
  /** The log message about an unreadable configuration, and the status of responses, if there are any. */
  readonly unreadable: readonly [log: RegExp, status: number | undefined];
  /** Bytes unpacked and compressed by gzip, at most. */
  readonly size: readonly [plain: number, compressed: number];
}

const images: readonly Image[] = [
  // The goal is 120 MB, and 50 MB compressed. Node 24 alone takes 112 and 41 of it, so Node's image may keep
  // its current size and no more: modules that are loaded on demand (AVIF, JPEG XL, PDF) took it from 141 to
  // 155.
  {
    name: "smalti-node",
    title: "IIIF image server on Node",
    command: "smalti",
    unreadable: [/configuration file \/config\/smalti\.yaml cannot be read/, undefined],
    at: (port) => ({ env: [`--env=SERVICE_ADDR=127.0.0.1:${port}`], args: [] }),
    size: [155e6, 60e6],
  },
  {
    name: "smalti-workerd",
    title: "IIIF image server on workerd",
    command: "smalti-workerd",
    licence: "/usr/share/doc/workerd/copyright",
    unreadable: [/Permission denied; path = smalti\.yaml/, 500],
    at: (port) => ({ env: [], args: ["container/public.capnp", `--socket-addr=http=127.0.0.1:${port}`] }),
    size: [132e6, 54e6],
  },
];

/** Bytes that every image has, even compressed. */
const leastSize = 1e6;

/** Returns the bytes of an image in gzip, which are kept by the digest of the image. */
function compressedSize(id: string): number {
  const kept = join(cacheFolder, `compressed-${id}`);
  const known = !everything && existsSync(kept) ? Number(readFileSync(kept, "utf8")) : 0;
  if (known > leastSize) return known;
  const save = [...podmanCommand, "save", id].map((word) => `'${word}'`).join(" ");
  const size = Number(run("bash", ["-c", `set -o pipefail; ${save} | gzip -6 | wc -c`]));
  if (!(size > leastSize)) throw new Error(`The image ${id} cannot have only ${size} bytes.`);
  writeFileSync(kept, `${size}`);
  return size;
}

const tile = (x: number) => `/iiif/3/base.png/${x},0,32,32/max/0/default.jpg`;
const range = (first: number, count: number) => Array.from({ length: count }, (_, i) => first + i);

describe.each(images)("the image $name", (image) => {
  const name = `smalti-test-${process.pid}`;
  let folder: string;
  let url: string;
  let port: number;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "smalti-container-"));
    mkdirSync(join(folder, "images"));
    copyFileSync(
      fileURLToPath(new URL("../fixtures/base.png", import.meta.url)),
      join(folder, "images/base.png"),
    );
    port = await freePort();
    url = `http://127.0.0.1:${port}`;
  });
  afterEach(() => {
    removeContainers(`name=${name}`);
    rmSync(folder, { recursive: true, force: true });
  });

  const responds = () =>
    expect
      .poll(
        () =>
          fetch(`${url}/health`).then(
            ({ status }) => status,
            () => undefined,
          ),
        { interval: 25 },
      )
      .toBe(200);
  /** Starts the container and waits until it responds. */
  async function start(...options: readonly string[]): Promise<void> {
    const { env, args } = image.at(port);
    const [program, ...words] = [...runCommand, "--detach", "--network=host", `--name=${name}`];
    run(program as string, [...words, ...env, ...options, image.name, ...args]);
    await responds();
  }
  const served = () => `--volume=${folder}/images:/images:ro`;
  const log = () => podmanAsync("logs", name);
  const get = async (path: string, init?: RequestInit) => {
    const response = await fetch(url + path, { redirect: "manual", ...init });
    return {
      status: response.status,
      headers: response.headers,
      body: Buffer.from(await response.arrayBuffer()),
    };
  };

  it("has OCI labels, one port, one volume, and an unprivileged user", () => {
    const [facts] = JSON.parse(podman("image", "inspect", image.name));
    const { Labels, Config } = facts;
    const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
    expect(Labels).toMatchObject({
      "org.opencontainers.image.title": "smalti",
      "org.opencontainers.image.description": image.title,
      "org.opencontainers.image.licenses": "MIT",
      "org.opencontainers.image.version": expect.stringMatching(new RegExp(`^${version}(\\+|$)`)),
      "org.opencontainers.image.revision": "0123abc",
      "org.opencontainers.image.source": "https://git.example.org/smalti",
    });
    expect([Config.User, Object.keys(Config.ExposedPorts), Object.keys(Config.Volumes)]).toEqual([
      "10001:10001",
      ["8080/tcp"],
      ["/cache"],
    ]);
  });

  it("is small", () => {
    const [{ Id, Size }] = JSON.parse(podman("image", "inspect", image.name));
    const compressed = compressedSize(Id);
    console.log(
      `${image.name}: ${(Size / 1e6).toFixed(1)} MB, ${(compressed / 1e6).toFixed(1)} MB compressed`,
    );
    expect(Size).toBeLessThanOrEqual(image.size[0]);
    expect(compressed).toBeLessThanOrEqual(image.size[1]);
  });

  it("runs as user 10001 without capabilities, with a root that cannot be written and no shell", async () => {
    await start(served());
    const [{ State, HostConfig }] = JSON.parse(podman("inspect", name));
    const status = readFileSync(`/proc/${State.Pid}/status`, "utf8");
    expect(status).toMatch(/^Uid:\t10001\t10001\t10001\t10001$/m);
    expect(status).toMatch(/^CapEff:\t0+$/m);
    expect(status).toMatch(/^CapBnd:\t0+$/m);
    expect(status).toMatch(/^NoNewPrivs:\t1$/m);
    expect([HostConfig.ReadonlyRootfs, HostConfig.Memory]).toEqual([true, 512 * 1024 * 1024]);
    const mounts = readFileSync(`/proc/${State.Pid}/mounts`, "utf8");
    expect(mounts).toMatch(/^\S+ \/ overlay ro,/m);
    for (const shell of ["sh", "/bin/sh", "/bin/bash", "/bin/busybox"])
      expect(() => podman("exec", name, shell, "-c", "true")).toThrow(/not found|no such file/);
  });

  it("serves the images mounted at /images, with its caches in the volume", async () => {
    await start(served());
    const info = await get("/iiif/3/base.png/info.json");
    expect([info.status, JSON.parse(`${info.body}`).width]).toEqual([200, 600]);
    await expect.poll(log).toMatch(/cache render +filesystem in \/cache\/render/);
  });

  it("serves the sample if nothing is mounted, and caches in memory if /cache cannot be written", async () => {
    await start("--image-volume=ignore");
    const page = await get("/");
    expect([page.status, `${page.body}`.includes("sample")]).toEqual([200, true]);
    await expect.poll(log).toMatch(/cache render +heap/);
    expect(await log()).toContain(`docker run -p 8080:8080 -v DIR:/images:ro ${image.command}`);
  });

  it("names the licences of its runtime", async () => {
    podman("create", `--name=${name}`, image.name);
    podman("cp", `${name}:/smalti/THIRD_PARTY_LICENSES.txt`, folder);
    expect(readFileSync(join(folder, "THIRD_PARTY_LICENSES.txt"), "utf8")).toContain("Google Inc.");
    if (image.licence) podman("cp", `${name}:${image.licence}`, join(folder, "licence"));
    if (image.licence) expect(readFileSync(join(folder, "licence"), "utf8")).toContain("Apache License");
  });

  it("follows /config/smalti.yaml", async () => {
    writeFileSync(
      join(folder, "smalti.yaml"),
      "sources: [{ name: mine, type: filesystem, root: /images, prefix: mine/ }]\ncache: { origin: { backend: heap } }\n",
    );
    await start(served(), `--volume=${folder}/smalti.yaml:/config/smalti.yaml:ro`);
    expect((await get("/iiif/3/mine%2Fbase.png/info.json")).status).toBe(200);
    await expect.poll(log).toMatch(/source +mine: \/images/);
  });

  it("serves nothing if the configuration that is mounted cannot be read", async () => {
    const file = join(folder, "smalti.yaml");
    writeFileSync(file, "auth: { rules: [] }\n");
    chmodSync(file, 0o600);
    const { env, args } = image.at(port);
    const [program, ...words] = [...runCommand, "--detach", "--network=host", `--name=${name}`];
    const mounts = [served(), `--volume=${file}:/config/smalti.yaml:ro`];
    run(program as string, [...words, ...env, ...mounts, image.name, ...args]);
    const [message, status] = image.unreadable;
    const answer = () =>
      get("/iiif/3/base.png/info.json").then(
        (found) => found.status,
        () => undefined,
      );
    await expect.poll(async () => [await answer(), message.test(await log())]).toEqual([status, true]);
  });

  it("is healthy while it responds, and not otherwise", async () => {
    const [program, ...words] = [...runCommand, "--detach", "--network=none", `--name=${name}`];
    run(program as string, [...words, image.name]);
    const health = () => {
      try {
        podman("healthcheck", "run", name);
        return "healthy";
      } catch {
        return "unhealthy";
      }
    };
    await expect.poll(health, { interval: 200 }).toBe("healthy");
    const [{ State }] = JSON.parse(podman("inspect", name));
    process.kill(State.Pid, "SIGSTOP");
    expect(health()).toBe("unhealthy");
    process.kill(State.Pid, "SIGCONT");
    await expect.poll(health, { interval: 200 }).toBe("healthy");
  });

  it("ends on SIGTERM with code 0, and waits neither for shutdown_timeout nor for an idle connection", async () => {
    writeFileSync(
      join(folder, "smalti.yaml"),
      `sources: [{ name: images, type: filesystem, root: /images }]
shutdown_timeout: 1h
http: { keep_alive: 1h }
`,
    );
    await start(served(), `--volume=${folder}/smalti.yaml:/config/smalti.yaml:ro`);
    const client = await connectClient(port);
    expect((await client.get(tile(0)))?.status).toBe(200);
    // Long before the hour is over, podman stop would send SIGKILL, and the code would be 137.
    await podmanAsync("stop", `--time=${hang / 1000}`, name);
    client.end();
    const [{ State }] = JSON.parse(podman("inspect", name));
    expect([State.Status, State.ExitCode, State.OOMKilled]).toEqual(["exited", 0, false]);
  });

  it("loses no cache entry, session or content state when it is killed, and starts again", async () => {
    writeFileSync(
      join(folder, "smalti.yaml"),
      `sources: [{ name: images, type: filesystem, root: /images }]
cache:
  render: { backend: filesystem, path: /cache/render }
  info: { backend: filesystem, path: /cache/info }
  origin: { backend: filesystem, path: /cache/origin }
auth:
  session: { backend: filesystem, path: /cache/sessions }
  profiles: { terms: { pattern: clickthrough, access_service: { backend: builtin } } }
  rules: [{ match: gated.png, profile: terms }]
content_state: { store: { enabled: true, dir: /cache/states, write_token: a-token-for-writing } }
`,
    );
    copyFileSync(join(folder, "images/base.png"), join(folder, "images/gated.png"));
    for (const part of ["cache", "cache/sessions", "cache/states"]) {
      mkdirSync(join(folder, part));
      chownSync(join(folder, part), 10_001, 10_001);
    }
    await start(
      served(),
      `--volume=${folder}/cache:/cache`,
      `--volume=${folder}/smalti.yaml:/config/smalti.yaml:ro`,
    );
    const gated = "/iiif/3/gated.png/full/20,/0/default.jpg";
    expect((await get(gated)).status).toBe(401);
    const login = await get("/iiif/auth/login/terms", { method: "POST", body: new URLSearchParams() });
    const [Cookie = ""] = (login.headers.get("set-cookie") ?? "").split(";");
    const state = {
      "@context": "http://iiif.io/api/presentation/3/context.json",
      id: "https://example.org/canvas/7",
      type: "Canvas",
      partOf: [{ id: "https://example.org/manifest.json", type: "Manifest" }],
    };
    const kept = await get("/content-state", {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: "Bearer a-token-for-writing" },
      body: JSON.stringify(state),
    });
    expect(kept.status).toBe(201);
    const statePath = new URL(kept.headers.get("location") as string).pathname;
    const tiles = new Map<number, Buffer>();
    for (const x of range(0, 24)) tiles.set(x, (await get(tile(x))).body);
    const hits = async () => (await log()).match(/ cache=hit/g)?.length ?? 0;
    // An entry is written after its response; one that is a hit is there.
    await expect
      .poll(async () => {
        const before = await hits();
        for (const x of tiles.keys()) await get(tile(x));
        return (await hits()) - before;
      })
      .toBe(tiles.size);

    const others = range(100, 200).map((x) => get(tile(x)).catch(() => undefined));
    await Promise.race(others);
    await podmanAsync("kill", "--signal=KILL", name);
    await Promise.all(others);
    await podmanAsync("wait", name);
    await podmanAsync("start", name);
    await responds();

    const before = await hits();
    for (const [x, body] of tiles) expect((await get(tile(x))).body.equals(body)).toBe(true);
    await expect.poll(async () => (await hits()) - before).toBe(tiles.size);
    expect((await get(gated)).status).toBe(401);
    expect((await get(gated, { headers: { Cookie } })).status).toBe(200);
    expect(JSON.parse(`${(await get(statePath)).body}`)).toEqual(state);
    // An entry that was cut off in the middle of a write is rendered again.
    for (const x of range(100, 200)) {
      const { status, body } = await get(tile(x));
      expect([status, body.readUInt16BE(0), body.readUInt16BE(body.length - 2)]).toEqual([
        200, 0xffd8, 0xffd9,
      ]);
    }
  });
});

it("a command of the image smalti-node follows the configuration that is mounted", () => {
  const folder = mkdtempSync(join(tmpdir(), "smalti-container-"));
  chmodSync(folder, 0o755);
  writeFileSync(join(folder, "smalti.yaml"), "log: { level: debug }\n");
  const [program, ...words] = [...runCommand, "--rm", `--volume=${folder}:/config:ro`];
  const { stdout } = spawnSync(program as string, [...words, "smalti-node", "check"], { encoding: "utf8" });
  rmSync(folder, { recursive: true });
  expect(stdout).toContain("level: debug");
});

it("passes arguments of the image smalti-node to smalti", () => {
  const { status, stdout } = spawnSync(
    runCommand[0],
    [...runCommand.slice(1), "--rm", "smalti-node", "version"],
    {
      encoding: "utf8",
    },
  );
  expect([status, stdout]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+(\+[0-9a-f]+)?\n$/)]);
});

it("the image smalti-node serves the folder in its arguments, with its caches in the volume", async () => {
  const name = `smalti-argument-${process.pid}`;
  const fixtures = fileURLToPath(new URL("../fixtures", import.meta.url));
  const [program, ...words] = [...runCommand, "--detach", "--network=none", `--name=${name}`];
  run(program as string, [...words, `--volume=${fixtures}:/pictures:ro`, "smalti-node", "/pictures"]);
  await expect.poll(() => podmanAsync("logs", name)).toMatch(/an image +http/);
  const log = await podmanAsync("logs", name);
  removeContainers(`name=${name}`);
  expect(log).toMatch(/source +files: \/pictures/);
  expect(log).toMatch(/cache render +filesystem in \/cache\/render/);
});
