// Shared by the three servers: the addresses to show, and one error for an unavailable port.

const listenProblems: Readonly<Record<string, string>> = {
  EADDRINUSE: "is in use by another process; stop that process or set another port",
  EACCES: "may not be opened by this user; use a port above 1023 or give the process the permission",
  EADDRNOTAVAIL: "is on an address that this machine does not have; correct the address",
};

/** An Error with the `code` of the refusal and a message that says what to do. */
export function listenError(cause: unknown, hostname: string | undefined, port: number): Error {
  const given = (cause as { code?: unknown } | undefined)?.code;
  const name = cause instanceof Error ? cause.name : "";
  const code =
    typeof given === "string"
      ? given
      : name === "AddrInUse"
        ? "EADDRINUSE"
        : name === "PermissionDenied"
          ? "EACCES"
          : "ELISTEN";
  const problem = listenProblems[code] ?? "cannot be opened";
  return Object.assign(new Error(`The address ${hostname ?? ""}:${port} ${problem}.`, { cause }), { code });
}

/** The URL at which a listening socket is reached; the unspecified address is shown as localhost. */
export function listeningUrl(hostname: string | undefined, port: number): string {
  const everywhere = hostname === undefined || hostname === "::" || hostname === "0.0.0.0";
  const host = everywhere ? "localhost" : hostname.includes(":") ? `[${hostname}]` : hostname;
  return `http://${host}:${port}`;
}
