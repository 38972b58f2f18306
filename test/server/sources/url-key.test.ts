// One key for all spellings of a URL; the pairs are those of RFC 3986, section 6.2.

import { expect, test } from "vitest";
import { urlKey } from "../../../src/server/sources/url-key.ts";

test.each([
  ["HTTP://www.EXAMPLE.com/a.tif", "http://www.example.com/a.tif"],
  ["http://example.com:80/a.tif", "http://example.com/a.tif"],
  ["https://example.com:443/a.tif", "https://example.com/a.tif"],
  ["http://example.com/a.tif#1", "http://example.com/a.tif"],
  ["http://example.com/%7Esmith/%61.tif", "http://example.com/~smith/a.tif"],
  ["http://example.com/a%2fb%c3%a9.tif?x=%2f", "http://example.com/a%2Fb%C3%A9.tif?x=%2F"],
])("%s has the key %s", (url, key) => {
  expect(urlKey(url)).toBe(key);
  expect(urlKey(key)).toBe(key);
});

test.each([
  "http://example.com/a%2Fb.tif",
  "http://example.com/A.tif",
  "http://example.com//a.tif",
  "http://example.com/a.tif?page=2&x=1",
  "http://example.com/a.tif;v=1",
  "folder/a%2fb.tif",
  "http://example.com/a/../b.tif",
  "http://example.com/a\\b.tif",
])("%s is a key of its own", (key) => {
  expect(urlKey(key)).toBe(key);
});
