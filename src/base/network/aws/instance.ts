// The role of an EC2 instance, from its metadata service in version 2: a token is fetched by PUT, so that a
// forged GET gains nothing (Amazon EC2 User Guide, "Use the Instance Metadata Service").

import type { Env } from "../../platform.ts";
import { parseUrl } from "../parse-url.ts";
import { CredentialsError } from "./credentials.ts";
import { credentialsIn, errorCodeText, smallRequest } from "./small-request.ts";
import type { Way } from "./way.ts";

const timeoutMs = 1000;
/** Lifetime of a token in seconds, at most six hours. It is used at once. */
const tokenSeconds = "300";

const service = "the metadata service of the instance";
const list = "/latest/meta-data/iam/security-credentials/";

export const instance: Way = {
  name: "the instance",
  absence: ({ AWS_EC2_METADATA_DISABLED: disabled }) =>
    disabled?.toLowerCase() === "true" ? "AWS_EC2_METADATA_DISABLED is true" : undefined,
  async fetch({ env, direct }) {
    const base = endpointOf(env);
    const ask = (path: string, more: { method?: "PUT"; headers: Record<string, string>; advice: string }) =>
      smallRequest(direct, { url: new URL(path, base), timeoutMs, service, ...more });
    const opened = await ask("/latest/api/token", {
      method: "PUT",
      headers: { "X-aws-ec2-metadata-token-ttl-seconds": tokenSeconds },
      advice:
        "this is no EC2 instance, or its answers do not reach this container: allow them two hops (aws ec2 modify-instance-metadata-options --http-put-response-hop-limit 2)",
    });
    const token = opened.text.trim();
    if (opened.status !== 200 || token === "")
      throw new CredentialsError(
        `${service} answered ${opened.status} to the request for a token; enable the service in version 2 (IMDSv2) in the metadata options of the instance`,
      );
    const headers = { "X-aws-ec2-metadata-token": token };
    const advice = "try again later";
    const roles = await ask(list, { headers, advice });
    const [role = ""] = roles.text.trim().split(/\r?\n/);
    if (roles.status !== 200 || role === "")
      throw new CredentialsError(
        `${service} answered ${roles.status} and names no role; attach an instance profile with a role to the instance`,
      );
    const { status, text } = await ask(list + encodeURIComponent(role), { headers, advice });
    if (status !== 200)
      throw new CredentialsError(
        `${service} answered ${status}${errorCodeText(text)} for its role; check the instance profile`,
      );
    return credentialsIn(text, service);
  },
};

/** Returns the address of the service: the one that is set, else that of IPv4 or IPv6. */
function endpointOf(env: Env): URL {
  const usual =
    env.AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE?.toLowerCase() === "ipv6"
      ? "http://[fd00:ec2::254]"
      : "http://169.254.169.254";
  const url = parseUrl(env.AWS_EC2_METADATA_SERVICE_ENDPOINT || usual);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new CredentialsError(
      "AWS_EC2_METADATA_SERVICE_ENDPOINT is no http or https URL; correct or unset it",
    );
  return url;
}
