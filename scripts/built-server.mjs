// The built product as a server, for scripts that make pictures with it.

import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

/**
 * Runs main.js of a build over a folder of masters with additional configuration (YAML) for as long as `use`
 * runs, which receives the address. The configuration is written to `folder`. `quiet`: hides the server's
 * log.
 */
export async function withBuilt(
  folder,
  yaml,
  use,
  { dist = "dist", masters = join(folder, "masters"), quiet = false } = {},
) {
  const port = await freePort();
  const config = join(folder, "config.yaml");
  writeFileSync(
    config,
    `addr: 127.0.0.1:${port}\n${yaml}\nlog: { level: warn }\nsources: [{ name: m, type: filesystem, root: ${JSON.stringify(masters)} }]\n`,
  );
  const server = spawn(process.execPath, [join(dist, "main.js"), "-config", config], {
    stdio: ["ignore", "ignore", quiet ? "ignore" : "inherit"],
  });
  const base = `http://127.0.0.1:${port}`;
  try {
    for (let tries = 0; !(await fetch(`${base}/ready`).catch(() => undefined))?.ok; tries++) {
      if (tries === 100 || server.exitCode !== null)
        throw new Error("the server did not start: npm run build");
      await wait(100);
    }
    await use(base);
  } finally {
    const ended = new Promise((resolve) => server.once("exit", resolve));
    server.kill();
    await ended;
  }
}

/** Returns the body of a response. Throws unless its status is a success. */
export async function bytesAt(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address}: ${response.status} ${await response.text()}`);
  return new Uint8Array(await response.arrayBuffer());
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer().once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}
