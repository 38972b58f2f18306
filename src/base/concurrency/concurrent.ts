// A task for each of many items, a few at a time.

/**
 * Runs `task` for every item, at most `atOnce` at a time. Rejects with the first failure, and then starts no
 * more.
 */
export async function forEachConcurrently<T>(
  items: Iterable<T> | AsyncIterable<T>,
  atOnce: number,
  task: (item: T) => Promise<void>,
): Promise<void> {
  const running = new Set<Promise<void>>();
  let failure: { readonly error: unknown } | undefined;
  for await (const item of items) {
    const one: Promise<void> = task(item)
      .catch((error) => {
        failure ??= { error };
      })
      .finally(() => running.delete(one));
    running.add(one);
    if (running.size >= atOnce) await Promise.race(running);
    if (failure) break;
  }
  await Promise.all(running);
  if (failure) throw failure.error;
}

/** Items until `enough`, which is asked after each of them. */
export async function* takeUntil<T>(items: AsyncIterable<T>, enough: () => boolean): AsyncGenerator<T> {
  for await (const item of items) {
    yield item;
    if (enough()) return;
  }
}
