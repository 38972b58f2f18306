// What an act costs this process.

export interface Cost<T> {
  readonly result: T;
  /** CPU time of all threads in milliseconds, garbage collection included. */
  readonly cpuMs: number;
  /** Growth of the peak resident memory of the process in MiB: 0 if an earlier peak was higher. */
  readonly peakMiB: number;
}

/**
 * Runs an act and measures what it cost the process, which runs one test file at a time. Work that the act
 * leaves running is not counted: wait for it inside the act.
 */
export async function costOf<T>(act: () => T | Promise<T>): Promise<Cost<T>> {
  const peak = process.resourceUsage().maxRSS;
  const before = process.cpuUsage();
  const result = await act();
  const { user, system } = process.cpuUsage(before);
  return {
    result,
    cpuMs: (user + system) / 1000,
    peakMiB: (process.resourceUsage().maxRSS - peak) / 1024,
  };
}
