// A token of another identity provider, such as that of a Kubernetes service account, is exchanged for the
// credentials of a role (AWS Security Token Service, AssumeRoleWithWebIdentity).

import type { Env } from "../../platform.ts";
import { parseUrl } from "../parse-url.ts";
import { textOf } from "../xml-elements.ts";
import { CredentialsError } from "./credentials.ts";
import { codeText, type Send, type SmallRequest, smallRequest } from "./small-request.ts";
import type { Way } from "./way.ts";

const timeoutMs = 5000;

/** Advice by code of the service. */
const adviceFor: Readonly<Record<string, string>> = {
  AccessDenied:
    "let the trust policy of the role allow sts:AssumeRoleWithWebIdentity to this service account",
  InvalidIdentityToken: "add the issuer of the token to the identity providers of the account of the role",
  ExpiredTokenException: "the token in the file has expired; find out why the file is not renewed",
  IDPRejectedClaim: "the provider of the token rejects it; create a new token",
  ValidationError: "check AWS_ROLE_ARN and AWS_ROLE_SESSION_NAME",
  RegionDisabledException: "enable the service in this region, or set AWS_REGION to another",
};

const names = ["AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_ROLE_ARN"] as const;

export const webIdentity: Way = {
  name: "web identity",
  absence(env) {
    const unset = names.filter((name) => !env[name]);
    // One of the two alone is a mistake, which fetch reports.
    return unset.length === names.length ? `${names.join(" and ")} are not set` : undefined;
  },
  async fetch({ env, region, readText, send, now }) {
    const unset = names.find((name) => !env[name]);
    if (unset !== undefined) throw new CredentialsError(`${unset} is not set; set it`);
    const token = (await readText(env.AWS_WEB_IDENTITY_TOKEN_FILE as string))?.trim();
    if (!token)
      throw new CredentialsError(
        "the file that AWS_WEB_IDENTITY_TOKEN_FILE names cannot be read or is empty; let this user read it",
      );
    const { status, text } = await requestToken(send, {
      url: serviceUrl(env, region),
      method: "POST",
      headers: { "Content-Type": "application/x-www-form-urlencoded", Accept: "application/xml" },
      body: new URLSearchParams({
        Action: "AssumeRoleWithWebIdentity",
        Version: "2011-06-15",
        RoleArn: env.AWS_ROLE_ARN as string,
        RoleSessionName: env.AWS_ROLE_SESSION_NAME || `smalti-${now()}`,
        WebIdentityToken: token,
      }).toString(),
      timeoutMs,
      service: "the token service",
      advice: "check that this machine reaches it, or set AWS_ENDPOINT_URL_STS",
    });
    const credentials = status === 200 ? textOf(text, "SecretAccessKey") : "";
    if (credentials === "") {
      const code = textOf(text, "Code");
      const advice = adviceFor[code] ?? "look up the code in the documentation of AWS STS";
      throw new CredentialsError(`the token service answered ${status}${codeText(code)}; ${advice}`);
    }
    const sessionToken = textOf(text, "SessionToken");
    const expiresAt = Date.parse(textOf(text, "Expiration"));
    return {
      accessKeyId: textOf(text, "AccessKeyId"),
      secretAccessKey: credentials,
      ...(sessionToken !== "" && { sessionToken }),
      ...(!Number.isNaN(expiresAt) && { expiresAt }),
    };
  },
};

/** The token service itself reports with status 400 that the provider of the token does not respond. */
async function requestToken(send: Send, request: SmallRequest) {
  const response = await smallRequest(send, request);
  const isPassing = response.status === 400 && textOf(response.text, "Code") === "IDPCommunicationError";
  return isPassing ? smallRequest(send, request) : response;
}

/** Returns the endpoint that is set, else that of the region (AWS General Reference, "AWS STS endpoints"). */
function serviceUrl(env: Env, bucketRegion: string): URL {
  const region = env.AWS_REGION || env.AWS_DEFAULT_REGION || bucketRegion;
  const domain = region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
  const url = parseUrl(env.AWS_ENDPOINT_URL_STS || `https://sts.${region}.${domain}/`);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new CredentialsError(
      env.AWS_ENDPOINT_URL_STS
        ? "AWS_ENDPOINT_URL_STS is no http or https URL; correct or unset it"
        : "the region names no host; correct AWS_REGION or region",
    );
  return url;
}
