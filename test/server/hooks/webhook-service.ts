// A web service that responds to hooks, for tests: it records requests, and misbehaves on demand.

import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Question {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Function named in the body. */
  readonly function: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look at what they expect
  readonly input: any;
}

export interface WebhookService {
  readonly url: string;
  readonly port: number;
  readonly asked: Question[];
  /**
   * The response as JSON; or a function that responds itself and returns nothing. May be replaced at any
   * time.
   */
  answer: (question: Question, response: ServerResponse, nth: number) => unknown;
  close(): Promise<void>;
}

const send = (response: ServerResponse, status: number, body: string) =>
  response.writeHead(status, { "Content-Type": "application/json" }).end(body);

/** A service on a free port of 127.0.0.1. */
export async function startWebhook(answer: WebhookService["answer"] = () => null): Promise<WebhookService> {
  const asked: Question[] = [];
  const server = createServer(async (request: IncomingMessage, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts).toString();
    const { method = "", url = "", headers } = request;
    const question = { method, path: url, headers, body, ...JSON.parse(body || "{}") } as Question;
    asked.push(question);
    const said = service.answer(question, response, asked.length);
    if (said !== undefined) send(response, 200, JSON.stringify(said));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const service: WebhookService = {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    asked,
    answer,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return service;
}
