// A page of an operator's own that logs readers in for the backend `external`: one link back, signed for the
// user ann.

import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface LoginPage {
  readonly url: string;
  close(): void;
}

/** Serves the page on a free port of 127.0.0.1. `secret`: that of `callback_secret_env`. */
export async function startLoginPage(secret: string): Promise<LoginPage> {
  const server = createServer((request, response) => {
    const callback = new URL(request.url ?? "/", "http://localhost").searchParams.get("callback") ?? "";
    const expires = String(Math.floor(Date.now() / 1000) + 300);
    const signature = createHmac("sha256", secret).update(`ann|${expires}`).digest("hex");
    const back = `${callback}?user=ann&amp;expires=${expires}&amp;signature=${signature}`;
    response.setHeader("Content-Type", "text/html");
    response.end(`<!doctype html><title>Library</title><a href="${back}">I am Ann</a>`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/login`,
    close: () => server.close(),
  };
}
