// Who uses most, in bounded memory: Space-Saving (Metwally, Agrawal and El Abbadi, ICDT 2005).
// Every count is too large by at most the total divided by the number of entries.

export interface Heaviest {
  /** Adds to what somebody has used. */
  note(name: string, amount: number): void;
  /** Returns the `count` heaviest, with what they used at most, and what may be too much of it. */
  top(count: number): readonly { readonly name: string; readonly amount: number; readonly excess: number }[];
  /** Has all that was used so far count half. */
  halve(): void;
}

/** Creates an empty list of at most `size` names. */
export function createHeaviest(size: number): Heaviest {
  let entries = new Map<string, { amount: number; excess: number }>();
  return {
    note(name, amount) {
      const entry = entries.get(name);
      if (entry) {
        entry.amount += amount;
        return;
      }
      if (entries.size < size) {
        entries.set(name, { amount, excess: 0 });
        return;
      }
      let [least, leastAmount] = ["", Number.POSITIVE_INFINITY];
      for (const [other, each] of entries)
        if (each.amount < leastAmount) [least, leastAmount] = [other, each.amount];
      entries.delete(least);
      entries.set(name, { amount: leastAmount + amount, excess: leastAmount });
    },
    top: (count) =>
      [...entries]
        .map(([name, { amount, excess }]) => ({ name, amount, excess }))
        .sort((one, other) => other.amount - one.amount)
        .slice(0, count),
    halve() {
      const halved = [...entries].map(
        ([name, { amount, excess }]) => [name, { amount: amount / 2, excess: excess / 2 }] as const,
      );
      entries = new Map(halved);
    },
  };
}
