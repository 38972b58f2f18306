// The health check of the image on workerd, as a test of workerd: it passes if the service responds.

export default {
  async test(_controller, { NETWORK }) {
    const { ok, status } = await NETWORK.fetch("http://127.0.0.1:8080/health", {
      signal: AbortSignal.timeout(4000),
    });
    if (!ok) throw new Error(`Expected status 200 of /health, received ${status}.`);
  },
};
