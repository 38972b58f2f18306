// The services by which AWS hands out the credentials of roles, as its documentation describes them: the
// metadata service of an EC2 instance in version 2, the credentials endpoint of a container, and
// AssumeRoleWithWebIdentity of the token service. Implemented without our own code.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Account } from "./s3-signature.ts";

export type RoleService = "instance" | "container" | "sts";

export interface AwsRoles {
  readonly url: string;
  /** Services asked, one for each time that credentials were to be handed out. */
  readonly asked: RoleService[];
  /** Every request, as method and path. */
  readonly requests: string[];
  /** Milliseconds for which credentials are valid. */
  lifetimeMs: number;
  /** Called with each account that is handed out. */
  onIssue: (account: Required<Account>) => void;
  /** The token that the container has to send. */
  authorization: string;
  /** The token of the other identity provider. */
  webToken: string;
  /** Replaces the usual handling if it returns true. */
  instead: (request: IncomingMessage, response: ServerResponse) => boolean;
  close(): Promise<void>;
}

interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const roleArn = "arn:aws:iam::123456789012:role/smalti";
export const webIdentityEnv = { AWS_ROLE_ARN: roleArn };

/** Starts on a free port of 127.0.0.1. */
export async function startAwsRoles(): Promise<AwsRoles> {
  let issued = 0;
  /** Session tokens of the metadata service, and when they end. */
  const sessions = new Map<string, number>();
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  const issue = (by: RoleService) => {
    const n = ++issued;
    roles.asked.push(by);
    const account = {
      accessKeyId: `ASIATEST${n}`,
      secretAccessKey: `secret-key-${n}`,
      sessionToken: `session//token+${n}==`,
    };
    roles.onIssue(account);
    return {
      AccessKeyId: account.accessKeyId,
      SecretAccessKey: account.secretAccessKey,
      Token: account.sessionToken,
      Expiration: new Date(Date.now() + roles.lifetimeMs).toISOString(),
    };
  };

  const roles: AwsRoles = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: [],
    requests: [],
    lifetimeMs: 3_600_000,
    onIssue: () => {},
    authorization: "container-authorization",
    webToken: "header.payload.signature",
    instead: () => false,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? "";
    roles.requests.push(`${request.method} ${path}`);
    const parts: Uint8Array[] = [];
    for await (const part of request) parts.push(part);
    const body = Buffer.concat(parts).toString();
    if (roles.instead(request, response)) return;
    const reply = replyTo(request, path, body);
    response.writeHead(reply.status, reply.headers).end(reply.body);
  }

  function replyTo(request: IncomingMessage, path: string, body: string): Reply {
    if (path === "/latest/api/token") return metadataToken(request);
    if (path.startsWith("/latest/")) return metadata(request, path);
    if (path === "/v1/credentials") return containerCredentials(request);
    if (path === "/" && request.method === "POST") return assumeRole(request, body);
    return { status: 404 };
  }

  /** Amazon EC2 User Guide, "Use the Instance Metadata Service to access instance metadata". */
  function metadataToken({ method, headers }: IncomingMessage): Reply {
    const ttl = Number(headers["x-aws-ec2-metadata-token-ttl-seconds"]);
    if (method !== "PUT") return { status: 405 };
    // A request that a proxy has passed on is refused.
    if (headers["x-forwarded-for"] !== undefined) return { status: 403 };
    if (!Number.isInteger(ttl) || ttl < 1 || ttl > 21_600) return { status: 400 };
    const token = `IMDS-${sessions.size}==`;
    sessions.set(token, Date.now() + ttl * 1000);
    return { status: 200, headers: { "x-aws-ec2-metadata-token-ttl-seconds": String(ttl) }, body: token };
  }

  function metadata({ method, headers }: IncomingMessage, path: string): Reply {
    const ends = sessions.get(String(headers["x-aws-ec2-metadata-token"]));
    if (method !== "GET" || ends === undefined || ends < Date.now()) return { status: 401 };
    const list = "/latest/meta-data/iam/security-credentials/";
    if (path === list) return { status: 200, body: "my-role" };
    if (path !== `${list}my-role`) return { status: 404 };
    const about = { Code: "Success", LastUpdated: new Date().toISOString(), Type: "AWS-HMAC" };
    return { status: 200, body: JSON.stringify({ ...about, ...issue("instance") }) };
  }

  /** AWS SDKs and Tools Reference Guide, "Container credential provider". */
  function containerCredentials({ method, headers }: IncomingMessage): Reply {
    if (method !== "GET") return { status: 405 };
    if ((headers.authorization ?? "") !== roles.authorization)
      return { status: 401, body: JSON.stringify({ code: "Unauthorized", message: "no" }) };
    return { status: 200, body: JSON.stringify({ ...issue("container"), AccountId: "123456789012" }) };
  }

  /** AWS STS API Reference, "AssumeRoleWithWebIdentity". */
  function assumeRole({ headers }: IncomingMessage, body: string): Reply {
    const refusal = (status: number, code: string): Reply => ({
      status,
      headers: { "content-type": "text/xml" },
      body: `<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
  <Error>
    <Type>Sender</Type>
    <Code>${code}</Code>
    <Message>refused ${roles.webToken}</Message>
  </Error>
  <RequestId>1</RequestId>
</ErrorResponse>`,
    });
    const form = new URLSearchParams(body);
    if (!headers["content-type"]?.startsWith("application/x-www-form-urlencoded"))
      return refusal(400, "MissingAction");
    // The request is not signed: the token is its proof.
    if (headers.authorization !== undefined) return refusal(403, "SignatureDoesNotMatch");
    if (form.get("Action") !== "AssumeRoleWithWebIdentity" || form.get("Version") !== "2011-06-15")
      return refusal(400, "InvalidAction");
    if (form.get("RoleArn") !== roleArn) return refusal(403, "AccessDenied");
    if (!/^[\w+=,.@-]{2,64}$/.test(form.get("RoleSessionName") ?? "")) return refusal(400, "ValidationError");
    if (form.get("WebIdentityToken") !== roles.webToken) return refusal(400, "InvalidIdentityToken");
    const { AccessKeyId, SecretAccessKey, Token, Expiration } = issue("sts");
    return {
      status: 200,
      headers: { "content-type": "text/xml" },
      body: `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
  <AssumeRoleWithWebIdentityResult>
    <SubjectFromWebIdentityToken>system:serviceaccount:default:smalti</SubjectFromWebIdentityToken>
    <Audience>sts.amazonaws.com</Audience>
    <AssumedRoleUser>
      <Arn>arn:aws:sts::123456789012:assumed-role/smalti/session</Arn>
      <AssumedRoleId>AROACLKWSDQRAOEXAMPLE:session</AssumedRoleId>
    </AssumedRoleUser>
    <Credentials>
      <SessionToken>${Token}</SessionToken>
      <SecretAccessKey>${SecretAccessKey}</SecretAccessKey>
      <Expiration>${Expiration}</Expiration>
      <AccessKeyId>${AccessKeyId}</AccessKeyId>
    </Credentials>
    <Provider>oidc.eks.eu-central-1.amazonaws.com</Provider>
  </AssumeRoleWithWebIdentityResult>
  <ResponseMetadata><RequestId>ad4156e9-bce1-11e2-82e6-6b6efEXAMPLE</RequestId></ResponseMetadata>
</AssumeRoleWithWebIdentityResponse>`,
    };
  }

  return roles;
}
