// Numbers with two decimals at most as text: those of logs and of Server-Timing, many in each request.

const decimals = Array.from({ length: 100 }, (_, i) => String(i / 100).slice(1));
/** Those below ten: most stages of a request take less than ten milliseconds. */
const small = Array.from({ length: 1000 }, (_, i) => String(i / 100));

/**
 * A number as JSON and `String` write it, in a tenth of the time where it has no more than two decimals and is from 0 to ten million.
 * Undefined for others.
 */
export function hundredthsText(value: number): string | undefined {
  const hundredths = Math.round(value * 100);
  if (hundredths / 100 !== value || !(value >= 0 && value < 1e7)) return undefined;
  if (hundredths < small.length) return small[hundredths];
  const whole = (hundredths / 100) | 0;
  return `${whole}${decimals[hundredths - 100 * whole]}`;
}
