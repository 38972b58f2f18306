// What a download counts in the budgets of its visitor: it is charged before its first byte.

import type { Caller } from "../../access/access.ts";
import type { Plan } from "../../downloads/plan.ts";
import type { Visitor } from "../../visitors/visitors.ts";

/**
 * The most that one file is charged, in megapixels: as much as a reader may use at once. If a book cost more,
 * its reader would have to wait for tiles afterwards.
 */
const maxCharge = 60;

/**
 * Charges a part of a file to its visitor. Throws `limited` (code visitor_budget) and `cancelled`, as
 * `Visitor.enter` does.
 */
export async function pay(
  { visitor, path, signal }: Caller,
  { pages }: Pick<Plan, "pages">,
  part: number,
): Promise<void> {
  if (!visitor) return;
  visitor.ask(path, part === 1 ? "big" : "part");
  const area = pages.reduce(
    (sum, { image, width, height }) => sum + (image.way === "missing" ? 0 : width * height),
    0,
  );
  await visitor.enter(Math.min(maxCharge, area / 1e6) * part, signal);
}

/** Returns a visitor whose pages are paid for, so that no file is cut in the middle. */
export function prepaid(visitor: Visitor | undefined): Visitor | undefined {
  return (
    visitor && {
      get group() {
        return visitor.group;
      },
      network: visitor.network,
      isStranger: visitor.isStranger,
      isBrowser: visitor.isBrowser,
      read: (signal) => visitor.read(signal),
      inform: (identifier) => visitor.inform(identifier),
      ask: () => {},
      isLimited: () => false,
      enter: async () => {},
      welcome: () => visitor.welcome(),
      chargeWork: (ms) => visitor.chargeWork(ms),
    }
  );
}
