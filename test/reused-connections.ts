// Servers close connections that idle for some seconds. If this process is too busy to notice, its next
// request is lost in one of these; browsers send it again, and so do tests. A server that drops a request
// by itself drops the second one too.

/** This file runs before each file of tests, and these may share a process. */
const kept = globalThis as { fetchOnce?: typeof fetch };
kept.fetchOnce ??= globalThis.fetch;
const once = kept.fetchOnce;

interface Lost {
  readonly cause?: { readonly code?: string; readonly socket?: { readonly bytesRead?: number } };
}

/** True if an earlier response came through the connection that was lost. */
function wasReused(error: unknown): boolean {
  const { code, socket } = (error as Lost).cause ?? {};
  return code === "UND_ERR_SOCKET" && !!socket?.bytesRead;
}

globalThis.fetch = async (input, init) => {
  const isRead = !(input instanceof Request) && /^(GET|HEAD)$/.test(init?.method ?? "GET");
  try {
    return await once(input, init);
  } catch (error) {
    if (isRead && wasReused(error)) return once(input, init);
    throw error;
  }
};
