import { expect, test } from "vitest";
import { maskUrls } from "../../../src/base/telemetry/mask.ts";

test.each([
  ["https://example.org/a/b.jpg", "https://example.org/a/b.jpg"],
  ["https://user:hunter2@example.org/", "https://***@example.org/"],
  ["https://hunter2@example.org", "https://***@example.org"],
  ["https://:hunter2@example.org:8443/x", "https://***@example.org:8443/x"],
  ["rediss://default:hunter2@redis.internal:6379/0", "rediss://***@redis.internal:6379/0"],
  ["HTTPS://user:hun@ter2@example.org/", "HTTPS://***@example.org/"],
  ["redis://:hun/ter?2@host:6379", "redis://***@host:6379"],
  ["https://example.org/@name/a@b.jpg", "https://example.org/@name/a@b.jpg"],
  ["https://example.org/?key=hunter2&size=", "https://example.org/?key=***&size="],
  ["https://example.org/?key=hun?ter2;more=hunter2", "https://example.org/?key=***?***;more=***"],
  ["https://example.org/?hunter2", "https://example.org/?***"],
  ["https://example.org/#access_token=hunter2", "https://example.org/#access_token=***"],
  ["https://example.org/?id={identifier}&key=hunter2", "https://example.org/?id={identifier}&key=***"],
  ["https://example.org/?", "https://example.org/?"],
  [
    'received "https://u:hunter2@a/", and (http://b/?c=hunter2',
    'received "https://***@a/", and (http://b/?c=***',
  ],
  ["/iiif/3/https://a/b/https://u:hunter2@c/", "/iiif/3/https://a/b/https://***@c/"],
  ["user:hunter2@redis:6379", "***@redis:6379"],
  ["//user:hunter2@example.org/x", "//***@example.org/x"],
  ['addr: received "user:hun/ter2@redis:6379"', 'addr: received "***@redis:6379"'],
  [
    "/iiif/3/https%3A%2F%2Fu%3Ahunter2%40a%2Fb.jpg%3Fsig%3Dhunter2/info.json",
    `/iiif/3/${encodeURIComponent("https://***@a/b.jpg?sig=***")}/info.json`,
  ],
  ["/iiif/3/https://a/b.jpg%3Fsig%3Dhunter2/info.json", "/iiif/3/https://a/b.jpg%3Fsig%3D***/info.json"],
  ["/iiif/3/https%3A%2F%2Fa%2Fb%ZZ.jpg/info.json", "/iiif/3/***/info.json"],
  ["file:///srv/node_modules/@scope/x.js:10:5", "file:///srv/node_modules/@scope/x.js:10:5"],
  ["mail operator@example.org at 10:30", "mail operator@example.org at 10:30"],
  ["a tile of 10:20 pixels; [::1]:8080", "a tile of 10:20 pixels; [::1]:8080"],
  ["", ""],
])("%j is shown as %j", (text, shown) => {
  expect(maskUrls(text)).toBe(shown);
  expect(maskUrls(shown)).toBe(shown);
});

test.each(["a:", "?", "http://", "@", "%3F", "%3A%2F%2F", "a:b@", "?a=b&", "https://a@"])(
  "a target of 50,000 times %s is masked without a look at each part from each other part",
  (part) => {
    // A time that grows with the square of this length is minutes, in which the test fails.
    expect(maskUrls(`https://u:hunter2@a/${part.repeat(50_000)}`)).not.toContain("hunter2");
    expect(maskUrls(`u:hunter2@a ${part.repeat(50_000)}`)).not.toContain("hunter2");
  },
);
