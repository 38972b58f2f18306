// Probes run on the main thread: long ones pause.

/** Lets other work of the thread go first. */
export const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));
