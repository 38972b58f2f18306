// The credentials endpoint of a container: the agent of Amazon ECS, the EKS Pod Identity Agent, and other
// programs with the same protocol (AWS SDKs and Tools Reference Guide, "Container credential provider").

import type { Env } from "../../platform.ts";
import { isInRanges, parseRange } from "../ip-range.ts";
import { parseUrl } from "../parse-url.ts";
import { CredentialsError } from "./credentials.ts";
import { credentialsIn, errorCodeText, smallRequest } from "./small-request.ts";
import type { Way, WayHost } from "./way.ts";

const timeoutMs = 1500;

/** Host to which AWS_CONTAINER_CREDENTIALS_RELATIVE_URI is relative. */
const ecsHost = "http://169.254.170.2";

/** Addresses to which the token may be sent unencrypted: ECS, EKS, and this machine. */
const plainAddresses = ["169.254.170.2", "169.254.170.23", "fd00:ec2::23", "127.0.0.0/8", "::1"].map(
  parseRange,
);

const service = "the credentials endpoint of the container";
const relative = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI";
const full = "AWS_CONTAINER_CREDENTIALS_FULL_URI";

export const container: Way = {
  name: "the container",
  absence: (env) => (env[relative] || env[full] ? undefined : `${relative} and ${full} are not set`),
  async fetch(host) {
    const url = endpointOf(host.env);
    const token = await authorizationOf(host);
    const { status, text } = await smallRequest(url.protocol === "https:" ? host.send : host.direct, {
      url,
      headers: { Accept: "application/json", ...(token !== undefined && { Authorization: token }) },
      timeoutMs,
      service,
      advice: "check that its agent runs",
    });
    if (status === 200) return credentialsIn(text, service);
    const advice =
      status === 401 || status === 403 || status === 400
        ? "check AWS_CONTAINER_AUTHORIZATION_TOKEN or AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE, and the role of the task or pod"
        : "check the role of the task or pod";
    throw new CredentialsError(`${service} answered ${status}${errorCodeText(text)}; ${advice}`);
  },
};

function endpointOf(env: Env): URL {
  const path = env[relative];
  const url = path
    ? path.startsWith("/")
      ? parseUrl(ecsHost + path)
      : undefined
    : parseUrl(env[full] ?? "");
  if (!url || !/^https?:$/.test(url.protocol))
    throw new CredentialsError(
      path ? `${relative} is no path; it has to begin with /` : `${full} is no http or https URL; correct it`,
    );
  if (url.protocol === "http:" && !isPlainHost(url.hostname))
    throw new CredentialsError(
      `${full} has http to a host that is neither this machine nor the agent of ECS or EKS; use https`,
    );
  return url;
}

const isPlainHost = (hostname: string) =>
  hostname === "localhost" || isInRanges(hostname.replace(/^\[(.*)\]$/, "$1"), plainAddresses);

/** The file takes precedence, since its token is renewed. */
async function authorizationOf({ env, readText }: WayHost): Promise<string | undefined> {
  const file = env.AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE;
  const token = file ? await readText(file) : env.AWS_CONTAINER_AUTHORIZATION_TOKEN;
  if (file && token === undefined)
    throw new CredentialsError(
      "the file that AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE names cannot be read; let this user read it",
    );
  const value = token?.trim();
  if (value && !/^[\x20-\x7e]+$/.test(value))
    throw new CredentialsError(
      "the authorization token of the container is not one line of text; correct it",
    );
  return value || undefined;
}
