// The health check of the image on Node: exit code 0 if the service responds at its port.

const [port] = /\d+$/.exec(process.env.SERVICE_ADDR ?? "") ?? ["8080"];
const { ok } = await fetch(`http://127.0.0.1:${port}/health`, { signal: AbortSignal.timeout(4000) }).catch(
  () => ({ ok: false }),
);
process.exit(ok ? 0 : 1);
