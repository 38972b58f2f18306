// Collections that may be seen from a day on, at midnight UTC.

const opens = [
  ["letters/1850/", "2020-01-01"],
  ["letters/", "2099-01-01"],
];

export function authorize({ identifier }) {
  const [, day] = opens.find(([prefix]) => identifier.startsWith(prefix)) ?? [];
  if (day === undefined || Date.now() >= Date.parse(day)) return undefined; // no opinion: the rules decide
  return { allow: false, status: 403, reason: `This can be seen from ${day} on.` };
}
