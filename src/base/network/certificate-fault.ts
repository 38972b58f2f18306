// Why the certificate of a server is not accepted, as each runtime says it, and what to do.

interface Fault {
  /** Codes of OpenSSL (Node, Bun), and parts of the messages of rustls (Deno) and BoringSSL (workerd). */
  readonly signs: RegExp;
  /** What is wrong with it, to follow "the certificate of …". */
  readonly text: string;
}

const faults: readonly Fault[] = [
  {
    signs: /CERT_HAS_EXPIRED|certificate has expired|invalid peer certificate: (certificate )?expired/i,
    text: "has expired. Renew it on that server",
  },
  {
    signs: /CERT_NOT_YET_VALID|not yet valid|NotValidYet/i,
    text: "is not valid yet. Set the clock of this machine, or correct the certificate on that server",
  },
  {
    signs:
      /ERR_TLS_CERT_ALTNAME_INVALID|NotValidForName|not valid for name|HOSTNAME_MISMATCH|hostname mismatch|IP address mismatch|does not match certificate's altnames/i,
    text: "is for another host. Use a host name that it contains, or correct it on that server",
  },
  {
    signs: /CERT_REVOKED|certificate revoked|invalid peer certificate: Revoked/i,
    text: "has been revoked. Replace it on that server",
  },
  {
    signs: /SELF_SIGNED_CERT|self[- ]signed certificate|CaUsedAsEndEntity/i,
    text: "is self-signed, or signed by an authority that this machine does not know. Trust it (NODE_EXTRA_CA_CERTS=FILE; Deno: DENO_CERT=FILE), or use a certificate of a public authority on that server",
  },
  {
    signs:
      /UNABLE_TO_(GET_ISSUER_CERT|VERIFY_LEAF_SIGNATURE)|UNKNOWN_CERTIFICATE_VERIFICATION_ERROR|unable to (get (local )?issuer|verify the first) certificate|UnknownIssuer|CERT_UNTRUSTED|certificate is not trusted/i,
    text: "is signed by an authority that this machine does not know. Let that server send its intermediate certificates, or trust the authority (NODE_EXTRA_CA_CERTS=FILE; Deno: DENO_CERT=FILE)",
  },
  {
    signs: /^CERT_|invalid peer certificate|CERTIFICATE_VERIFY_FAILED/,
    text: "is not accepted. Check it with: openssl s_client -connect HOST:443",
  },
];

/** Causes that are looked at: fetch wraps the error of a connection. */
const deepest = 5;

/**
 * Returns what is wrong with the certificate of a server, to follow "the certificate of …", with what to do;
 * undefined if an error has another reason. Contains nothing of the certificate.
 */
export function certificateFault(thrown: unknown): string | undefined {
  let error = thrown as { code?: unknown; message?: unknown; cause?: unknown } | undefined;
  for (let depth = 0; depth < deepest && typeof error === "object" && error !== null; depth++) {
    const words = [error.code, error.message].filter((word) => typeof word === "string");
    const fault = faults.find(({ signs }) => words.some((word) => signs.test(word)));
    if (fault) return fault.text;
    error = error.cause as typeof error;
  }
  return undefined;
}

/** Returns the reason of a failed fetch, without the address. */
export function networkReason(error: unknown): string {
  const { code, message } = ((error as { cause?: unknown }).cause ?? error) as {
    code?: string;
    message?: string;
  };
  return code ?? message ?? "no reason given";
}
