import { describe, expect, test } from "vitest";
import { parseAddress } from "../../../src/server/config/address.ts";
import { absolutePath } from "../../../src/server/config/reading/paths.ts";

describe("a listening address", () => {
  test.each([
    [":8080", { port: 8080 }],
    [":0", { port: 0 }],
    ["127.0.0.1:8080", { hostname: "127.0.0.1", port: 8080 }],
    ["localhost:65535", { hostname: "localhost", port: 65535 }],
    ["[::1]:8080", { hostname: "::1", port: 8080 }],
    ["[::]:80", { hostname: "::", port: 80 }],
    ["images.example.org:443", { hostname: "images.example.org", port: 443 }],
  ])("%s is parsed", (text, address) => expect(parseAddress(text)).toEqual(address));

  test.each([
    "",
    ":",
    "8080",
    ":65536",
    ":-1",
    ":80a",
    "::1:80",
    "[::1]",
    "[]:80",
    "http://a:80",
    "a b:80",
    " :80",
    ":80\n",
    "a/b:80",
  ])("%j is refused", (text) => expect(() => parseAddress(text)).toThrow(RangeError));
});

describe("a file name of the configuration", () => {
  test.each([
    ["/etc/smalti", "images", "/etc/smalti/images"],
    ["/etc/smalti/", "./images", "/etc/smalti/images"],
    ["/etc/smalti", "../images", "/etc/images"],
    ["/etc/smalti", "/srv/images", "/srv/images"],
    ["/", "images", "/images"],
    ["C:\\smalti", "D:\\images", "D:/images"],
    ["/etc/smalti", "../images/", "/etc/images"],
    ["/etc", "../../../images", "/images"],
    ["/etc", ".", "/etc"],
    ["/etc", "..", "/"],
    ["/etc", "/srv//a/./b/../c", "/srv/a/c"],
    ["/etc", "a\\..\\b", "/etc/a\\..\\b"],
    ["/etc", "..a/.b/c..", "/etc/..a/.b/c.."],
    ["C:\\smalti", "..\\scans", "C:/scans"],
    ["C:\\smalti", "D:\\a\\.\\b", "D:/a/b"],
    ["/etc", "\\\\host\\share", "\\\\host\\share"],
  ])("in %s, %s is %s", (folder, path, absolute) => expect(absolutePath(folder, path)).toBe(absolute));
});
