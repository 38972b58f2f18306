// A worker's way to the thread that started it: a worker thread's port on Node, the global scope of a Web
// Worker on Deno and Bun.

export interface ThreadPort<Message> {
  post(message: unknown, transfer?: readonly ArrayBuffer[]): void;
  onMessage(listener: (message: Message) => void): void;
}

interface Port {
  postMessage(message: unknown, transfer: ArrayBuffer[]): void;
}

/** Returns the port of the calling thread. `Message`: type of received messages. */
export async function threadPort<Message>(): Promise<ThreadPort<Message>> {
  const isWeb = "Deno" in globalThis || "Bun" in globalThis;
  const thread = isWeb ? undefined : (await import("node:worker_threads")).parentPort;
  const port: Port = thread ?? (globalThis as unknown as Port);
  return {
    post: (message, transfer = []) => port.postMessage(message, [...transfer]),
    onMessage(listener) {
      if (thread) thread.on("message", listener);
      else globalThis.addEventListener("message", (event) => listener((event as MessageEvent<Message>).data));
    },
  };
}
