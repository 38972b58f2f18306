// An OpenID Connect provider on this machine: `oidc-provider` with its own pages, whose keys can be changed
// and whose responses can be replaced.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import Provider from "oidc-provider";
import { createCookieJar } from "../server/api/auth/cookie-jar.ts";

export const clientId = "smalti";
/** Contains characters that have to be escaped in requests. */
export const clientSecret = "s3cret: +/%&=";

export interface ProviderOptions {
  /** Addresses that readers may be sent back to. */
  readonly callbacks?: readonly string[];
  /** 0: any free one. */
  readonly port?: number;
}

export interface OidcProvider {
  readonly issuer: string;
  readonly port: number;
  /** Paths that were asked for, in order. */
  readonly asked: string[];
  /** Replaces the provider's response if it returns one. */
  answer: ((path: string, request: IncomingMessage) => Response | Promise<Response> | undefined) | undefined;
  /** Takes one more address that readers may be sent back to. */
  register(callback: string): void;
  /** Signs with a new key from now on; the one before is no longer published. */
  rotateKeys(): Promise<void>;
  /** An ID token for the client, signed with the provider's key unless another is given. */
  idToken(
    claims: JWTPayload,
    header?: { readonly alg?: string; readonly kid?: string },
    key?: CryptoKey,
  ): Promise<string>;
  /** The private key and its name. */
  signingKey(): { readonly key: CryptoKey; readonly kid: string };
  /**
   * Goes through its pages as a reader does whom a service has sent to `address`. Returns the callback, which
   * is not asked for. `deny`: turns back at the login, or at the question whether the service may know who
   * they are.
   */
  logIn(
    address: string,
    reader?: { readonly user?: string | undefined; readonly deny?: "login" | "consent" },
  ): Promise<URL>;
  /** Refuses connections until {@link start}; open ones are cut. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

/**
 * Starts a provider. Every user exists, with any password; `preferred_username` is "Reader " and the user,
 * `email` is at example.org.
 */
export async function startProvider({
  callbacks = [],
  port = 0,
}: ProviderOptions = {}): Promise<OidcProvider> {
  let handle: (request: IncomingMessage, response: ServerResponse) => void;
  let signing: { readonly key: CryptoKey; readonly kid: string };
  let keysMade = 0;
  let jwk: object;
  const allowed = [...callbacks];
  const build = () => {
    handle = quiet(() => new Provider(issuer, configuration([jwk], allowed))).callback();
  };
  const asked: string[] = [];

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? "/";
    asked.push(path);
    const other = await provider.answer?.(path, request);
    if (!other) return handle(request, response);
    response.writeHead(other.status, Object.fromEntries(other.headers));
    response.end(Buffer.from(await other.arrayBuffer()));
  };
  let server: Server;
  const listen = (at: number) =>
    new Promise<number>((resolve, reject) => {
      server = createServer((request, response) => void answer(request, response));
      server.once("error", reject);
      server.listen(at, "localhost", () => resolve((server.address() as AddressInfo).port));
    });
  const ownPort = await listen(port);
  const issuer = `http://localhost:${ownPort}`;

  const provider: OidcProvider = {
    issuer,
    port: ownPort,
    asked,
    answer: undefined,
    async rotateKeys() {
      const { privateKey } = await generateKeyPair("RS256", { extractable: true });
      const kid = `key-${++keysMade}`;
      jwk = { ...(await exportJWK(privateKey)), kid, use: "sig", alg: "RS256" };
      signing = { key: privateKey, kid };
      build();
    },
    register(callback) {
      allowed.push(callback);
      build();
    },
    signingKey: () => signing,
    idToken: (claims, { alg = "RS256", kid = signing.kid } = {}, key = signing.key) =>
      new SignJWT({ iss: issuer, aud: clientId, sub: "ann", ...claims })
        .setProtectedHeader({ alg, kid })
        .setIssuedAt(claims.iat ?? new Date())
        .setExpirationTime(claims.exp ?? "5m")
        .sign(key),
    logIn: (address, reader) => logIn(address, issuer, reader),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
    start: async () => void (await listen(ownPort)),
  };
  await provider.rotateKeys();
  return provider;
}

const configuration = (keys: readonly object[], callbacks: readonly string[]) => ({
  clients: [
    {
      client_id: clientId,
      client_secret: clientSecret,
      redirect_uris: callbacks,
      grant_types: ["authorization_code"],
    },
  ],
  jwks: { keys },
  cookies: { keys: ["of the tests"] },
  claims: { openid: ["sub"], profile: ["preferred_username"], email: ["email"] },
  // Claims stand in the ID token, as with Keycloak and Entra ID.
  conformIdTokenClaims: false,
  findAccount: (_: unknown, id: string) => ({
    accountId: id,
    claims: () => ({ sub: id, preferred_username: `Reader ${id} ✓`, email: `${id}@example.org` }),
  }),
  ttl: {
    AuthorizationCode: 60,
    AccessToken: 60,
    IdToken: 300,
    Interaction: 3600,
    Session: 3600,
    Grant: 3600,
  },
});

/** Silences warnings about settings that are only acceptable in tests. */
function quiet<T>(make: () => T): T {
  const { warn, info } = console;
  console.warn = console.info = () => {};
  try {
    return make();
  } finally {
    Object.assign(console, { warn, info });
  }
}

async function logIn(
  address: string,
  issuer: string,
  { user = "ann", deny }: { readonly user?: string | undefined; readonly deny?: "login" | "consent" } = {},
): Promise<URL> {
  const jar = createCookieJar();
  let [next, form]: [URL, URLSearchParams | undefined] = [new URL(address), undefined];
  for (let step = 0; step < 20; step++) {
    if (next.origin !== issuer) return next;
    const response: Response = await fetch(next, {
      redirect: "manual",
      headers: { Cookie: jar.header(next.pathname) },
      ...(form && { method: "POST", body: form }),
    });
    jar.take(response);
    form = undefined;
    const location = response.headers.get("Location");
    const html = await response.text();
    if (location !== null) {
      next = new URL(location, next);
      continue;
    }
    const prompt = /name="prompt" value="(\w+)"/.exec(html)?.[1];
    const action = /<form[^>]* action="([^"]+)"/.exec(html)?.[1];
    if (response.status !== 200 || !prompt || !action)
      throw new Error(`the provider has no page for that (${response.status}): ${html.slice(-1500)}`);
    if (deny === prompt) next = new URL(`${action}/abort`);
    else {
      form = new URLSearchParams({ prompt, login: user, password: "any" });
      next = new URL(action);
    }
  }
  throw new Error("the provider sends its readers around in a circle");
}
