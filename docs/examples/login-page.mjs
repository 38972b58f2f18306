// A login page of one's own, for profiles of the backend `external`: asks who somebody is, and sends them back with a signature.
//
//   SECRET=… CALLBACK=https://images.example.org/iiif/auth/callback/partner USERS=ann:secret,bob:other node login-page.mjs

import { createHmac } from "node:crypto";
import { createServer } from "node:http";

const { SECRET, CALLBACK, USERS = "", PORT = "8090" } = process.env;
if (!SECRET || !CALLBACK)
  throw new Error("Set SECRET to the secret of both sides, and CALLBACK to where readers may go back.");
const users = new Set(USERS.split(","));

/** Who has logged in; ask your own sessions here. This asks for a name and a password, as browsers do by themselves. */
function userOf({ headers: { authorization = "" } }) {
  const login = Buffer.from(authorization.replace(/^Basic /i, ""), "base64").toString();
  return users.has(login) ? login.slice(0, login.indexOf(":")) : undefined;
}

const server = createServer((request, response) => {
  const { searchParams } = new URL(request.url, "http://localhost");
  const user = userOf(request);
  if (!user)
    return response
      .writeHead(401, { "WWW-Authenticate": 'Basic realm="Images", charset="UTF-8"' })
      .end("Log in first.");
  // Signatures are for this service alone; what comes in the address may be anybody's.
  if (searchParams.get("callback") !== CALLBACK) return response.writeHead(400).end("Unknown callback.");
  const expires = Math.floor(Date.now() / 1000) + 60;
  const signature = createHmac("sha256", SECRET).update(`${user}|${expires}`).digest("hex");
  const back = `${CALLBACK}?${new URLSearchParams({ user, expires, signature })}`;
  response.writeHead(303, { Location: back, "Cache-Control": "no-store" }).end();
});
server.listen(Number(PORT), () => console.log(`http://localhost:${server.address().port}/`));
