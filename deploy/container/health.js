// The health check of the image on Node: exit code 0 if the service responds at SERVICE_ADDR, or at the loopback
// address if that stands for all addresses.

const [, host, port] = /^(.*):(\d+)$/.exec(process.env.SERVICE_ADDR ?? "") ?? [];
const loopbacks = { "": "127.0.0.1", "0.0.0.0": "127.0.0.1", "[::]": "[::1]" };
const url = `http://${loopbacks[host ?? ""] ?? host}:${port ?? 8080}/health`;
const { ok } = await fetch(url, { signal: AbortSignal.timeout(4000) }).catch(() => ({ ok: false }));
process.exit(ok ? 0 : 1);
