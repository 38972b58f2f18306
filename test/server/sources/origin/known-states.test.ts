// Cached states of the masters of an origin, while it is purged.

import { expect, test } from "vitest";
import { createKnownStates } from "../../../../src/server/sources/origin/known-states.ts";
import { deferred } from "../../../deferred.ts";

test("a purge while the origin reports a missing master lets the next reader request again", async () => {
  const states = createKnownStates({
    fingerprint: "origin",
    slot: { get: async () => undefined, put: () => {} },
    entryName: (key) => key,
    revalidateMs: 60_000,
    staleMs: 0,
    now: () => 0,
  });
  let asked = 0;
  /** Looks for "a", which is gone once `answer` has resolved. */
  const find = (answer: Promise<void>) => {
    const look = async () => {
      asked++;
      const generation = states.generationOf("a");
      await answer;
      states.noteAbsent("a", generation);
      return undefined;
    };
    return states.find("a", look, (act) => act(new AbortController().signal));
  };

  const answer = deferred();
  const first = find(answer.promise);
  await expect.poll(() => asked).toBe(1);
  states.purge("a");
  answer.resolve();
  await first;
  await find(Promise.resolve());
  expect(asked).toBe(2);
  // Without a purge it is not asked for again so soon.
  await find(Promise.resolve());
  expect(asked).toBe(2);
});
