// A service behind a reverse proxy that can be made to do wrong, both over real sockets, and the doctor
// before it.

import { createServer, type IncomingHttpHeaders, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import type { Finding } from "../../../src/base/findings/finding.ts";
import { examine } from "../../../src/doctor/login/diagnose.ts";
import { fixturesFolder } from "../../host.ts";
import { type Served, served } from "../../served.ts";

export const viewer = "https://viewer.example.org";
/** Address of the proxy; its clients have 127.0.0.1. */
export const proxyAddress = "127.0.0.2";
export const closed = "closed/base.png";

type Headers = Record<string, string | string[] | undefined>;

export interface Passing {
  readonly method: string;
  /** Path and query, without the folder of the proxy. */
  url: string;
  readonly headers: Headers;
  /** Port of the requested service; the first one by default. */
  port: number;
}

export interface Passed {
  status: number;
  readonly headers: Headers;
  body: Buffer;
}

/** What a proxy does besides forwarding. */
export interface Proxying {
  /** Changes a request; a returned response replaces the service's. */
  readonly before?: (passing: Passing) => Partial<Passed> | undefined;
  readonly after?: (passed: Passed, passing: Passing) => void;
}

export interface SiteOptions extends Proxying {
  /** The profile, as YAML in a line; may need the address of the site. */
  readonly profile: string | ((base: string) => string);
  /** Further profiles by name, as YAML in a line; the rule names them before the examined one. */
  readonly others?: Readonly<Record<string, string>>;
  /** Path of the service on the proxy: "" or a path such as /images. */
  readonly folder?: string;
  /** Lines of the configuration in place of base_url. */
  readonly address?: string;
  /** Lines under `auth:`. */
  readonly auth?: string;
  readonly trusted?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Number of services behind the proxy. */
  readonly replicas?: number;
  /** Port of the proxy; any free one by default. */
  readonly port?: number;
  /** Called with the ports of the services. */
  readonly listening?: (ports: readonly number[]) => void;
}

export interface Site {
  readonly base: string;
  readonly apps: readonly Served[];
  /** The cookies and tokens that have come through the proxy. */
  readonly secrets: readonly string[];
  /** Returns the doctor's findings. */
  examine(over?: Partial<Examined>): Promise<readonly Finding[]>;
  close(): Promise<void>;
}

interface Examined {
  readonly base: string;
  readonly origin: string;
  readonly credentials: { readonly username: string; readonly password: string };
  readonly client: string | undefined;
  readonly identifier: string;
}

/** Starts both. */
export async function startSite({
  profile,
  others = {},
  folder = "",
  address,
  auth = `cors: { token_origins: ["${viewer}"] }`,
  trusted = proxyAddress,
  env = {},
  replicas = 1,
  port = 0,
  listening,
  ...proxying
}: SiteOptions): Promise<Site> {
  const ports: number[] = [];
  const secrets: string[] = [];
  const proxy = createProxy(folder, ports, proxying, secrets);
  const profiles = [...Object.keys(others), "way"];
  const base = `http://127.0.0.1:${await listen(proxy, port)}${folder}`;
  const yaml = `${address ?? `base_url: ${base}`}
trusted_proxies: [${trusted}]
sources: [{ name: a, type: filesystem, root: ${JSON.stringify(fixturesFolder)}, prefix: closed/ }]
auth:
  ${auth}
  profiles:
    way: ${typeof profile === "string" ? profile : profile(base)}
${Object.entries(others)
  .map(([name, other]) => `    ${name}: ${other}`)
  .join("\n")}
  rules: [{ match: "closed/*", profile: [${profiles.join(", ")}] }]
`;
  const apps = await Promise.all(Array.from({ length: replicas }, () => served(yaml, { ...env })));
  const servers = apps.map(serverOf);
  ports.push(...(await Promise.all(servers.map((server) => listen(server)))));
  listening?.(ports);
  const config = apps[0]!.service.config();
  return {
    base,
    apps,
    secrets,
    examine: ({ base: own = base, origin = viewer, identifier = closed, ...more } = {}) =>
      examine({
        options: {
          auth: config.auth!,
          baseUrl: config.base_url,
          trustedProxies: config.trusted_proxies,
          hooked: false,
          client: "127.0.0.1",
          ...more,
        },
        base: own,
        origin,
        targets: [{ profile: "way", profiles, identifier, exists: true }],
      }),
    async close() {
      await Promise.all([proxy, ...servers].map(end));
      await Promise.all(apps.map(({ service }) => service.close()));
    },
  };
}

export const listen = (server: Server, port = 0): Promise<number> =>
  new Promise((resolve) =>
    server.listen(port, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)),
  );

export const end = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });

/** An application over sockets. */
export function serverOf(app: Served): Server {
  return createServer({ maxHeaderSize: 128 * 1024 }, async (incoming, outgoing) => {
    const { method = "GET", url = "/" } = incoming;
    const headers = new Headers();
    for (const [name, value] of Object.entries(incoming.headers))
      if (name !== "connection" && name !== "transfer-encoding") headers.set(name, String(value));
    const body = await buffer(incoming);
    const answer = await app.get(url, {
      method,
      headers,
      peer: incoming.socket.remoteAddress ?? "",
      host: incoming.headers.host ?? "",
      ...(body.length > 0 && { body }),
    });
    const cookies = answer.headers.getSetCookie();
    outgoing.writeHead(answer.status, {
      ...Object.fromEntries(answer.headers),
      ...(cookies.length > 0 && { "set-cookie": cookies }),
    });
    // Streamed: a stream of events does not end. The client may leave earlier.
    if (answer.body) await pipeline(answer.body, outgoing).catch(() => undefined);
    else outgoing.end();
  });
}

/**
 * A proxy as documented: takes its folder off, passes Host on, says who asks, and lets no client say who
 * somebody is.
 */
function createProxy(
  folder: string,
  ports: readonly number[],
  { before, after }: Proxying,
  secrets: string[],
): Server {
  return createServer(async (incoming, outgoing) => {
    const sent = await buffer(incoming);
    const target = incoming.url ?? "/";
    const passing: Passing = {
      method: incoming.method ?? "GET",
      url: target.startsWith(folder) ? target.slice(folder.length) || "/" : target,
      headers: {
        ...incoming.headers,
        // Bodies are to be read and changed on their way.
        "accept-encoding": "identity",
        "x-forwarded-for": forwardedFor(incoming.headers, incoming.socket.remoteAddress),
      },
      port: ports[0] ?? 0,
    };
    delete passing.headers["x-forwarded-user"];
    const own = before?.(passing);
    const passed: Passed = own
      ? { status: 200, headers: {}, body: Buffer.alloc(0), ...own }
      : await ask(passing, sent);
    secrets.push(...secretsOf(passed));
    if (!own) after?.(passed, passing);
    outgoing.writeHead(passed.status, passed.headers as IncomingHttpHeaders);
    outgoing.end(passed.body);
  });
}

function secretsOf({ headers, body }: Passed): string[] {
  const cookies = [headers["set-cookie"] ?? []].flat().map((line) => /=([^;]*)/.exec(line)?.[1] ?? "");
  const [, token = ""] = /"accessToken":"([^"]+)"/.exec(body.toString()) ?? [];
  return [...cookies, token].filter((text) => text !== "");
}

const forwardedFor = (headers: IncomingHttpHeaders, address = "") =>
  [headers["x-forwarded-for"], address].filter(Boolean).join(", ");

function ask({ method, url, headers, port }: Passing, body: Buffer): Promise<Passed> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: "127.0.0.1", localAddress: proxyAddress, port, method, path: url, headers, agent: false },
      async (answer) => {
        const { connection: _, "transfer-encoding": _encoding, ...rest } = answer.headers;
        const bytes = await buffer(answer);
        resolve({
          status: answer.statusCode ?? 0,
          headers: { ...rest, "content-length": String(bytes.length) },
          body: bytes,
        });
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}
