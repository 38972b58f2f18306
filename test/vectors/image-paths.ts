// Raw paths after the mount prefix, and what they name or their error code.

type Named = { kind: "info" | "base" | "image"; identifier: string; [part: string]: string };

const image = (identifier: string, region: string, size: string, rotation: string, file: string): Named => ({
  kind: "image",
  identifier,
  region,
  size,
  rotation,
  file,
});

const full = (identifier: string) => image(identifier, "full", "max", "0", "default.jpg");

export const imagePaths: readonly (readonly [path: string, expected: Named | string])[] = [
  // Split: the last four segments, the rest is the identifier.
  ["sample/full/max/0/default.jpg", full("sample")],
  ["a/b/c/full/max/0/default.jpg", full("a/b/c")],
  ["a%2Fb%2Fc/full/max/0/default.jpg", full("a/b/c")],
  ["full/max/0/default.jpg/full/max/0/default.jpg", full("full/max/0/default.jpg")],
  ["a.b.tif/full/max/0/default.jpg", full("a.b.tif")],
  ["sample/full/^!10,10/22.5/default.jpg", image("sample", "full", "^!10,10", "22.5", "default.jpg")],
  ["sample/full/%5E%21%31%30,10/0/default.jpg", image("sample", "full", "^!10,10", "0", "default.jpg")],
  ["sample/full/max/0/default%2Ejpg", full("sample")],
  ["sample/full%2Fmax/max/0/default.jpg", image("sample", "full/max", "max", "0", "default.jpg")],
  ["sample/full/max/0/default.jpg;v=1", image("sample", "full", "max", "0", "default.jpg;v=1")],
  // Runs of / are one.
  ["//sample///full//max/0/default.jpg", full("sample")],
  ["a//b/info.json", { kind: "info", identifier: "a/b" }],
  // Image information.
  ["sample/info.json", { kind: "info", identifier: "sample" }],
  ["a/b/c/d/e/info.json", { kind: "info", identifier: "a/b/c/d/e" }],
  ["sample/info%2Ejson", { kind: "info", identifier: "sample" }],
  ["info.json/info.json", { kind: "info", identifier: "info.json" }],
  // The base URI.
  ["sample", { kind: "base", identifier: "sample" }],
  ["sample/", { kind: "base", identifier: "sample" }],
  ["a/b/c/d", { kind: "base", identifier: "a/b/c/d" }],
  ["info.json", { kind: "base", identifier: "info.json" }],
  ["a/b/c/d/e", image("a", "b", "c", "d", "e")],
  ["sample/info.json/", "no_such_resource"],
  ["sample/full/max/0/default.jpg/", "no_such_resource"],
  // Decoded once, as UTF-8.
  ["a%252Fb/info.json", { kind: "info", identifier: "a%2Fb" }],
  ["abc%2Ddef/info.json", { kind: "info", identifier: "abc-def" }],
  ["%C3%BCbung/info.json", { kind: "info", identifier: "übung" }],
  ["a+b/info.json", { kind: "info", identifier: "a+b" }],
  ["[frob]/info.json", { kind: "info", identifier: "[frob]" }],
  ["ark:/12025/654xz321/info.json", { kind: "info", identifier: "ark:/12025/654xz321" }],
  ["ark:%2F12025%2F654xz321/info.json", { kind: "info", identifier: "ark:/12025/654xz321" }],
  ["name;3/info.json", { kind: "info", identifier: "name;3" }],
  ["%zz/info.json", "bad_encoding"],
  ["a%/info.json", "bad_encoding"],
  ["a%2/info.json", "bad_encoding"],
  ["%FF/info.json", "bad_encoding"],
  ["%C0%AF/info.json", "bad_encoding"],
  ["%ED%A0%80/info.json", "bad_encoding"],
  ["sample/full/max/0/default.%", "bad_encoding"],
  // An identifier that is a URL.
  ["https%3A%2F%2Fexample.org%2Fa.tif/info.json", { kind: "info", identifier: "https://example.org/a.tif" }],
  ["https://example.org/a.tif/info.json", { kind: "info", identifier: "https://example.org/a.tif" }],
  ["web/http:/example.org/a.tif/info.json", { kind: "info", identifier: "web/http://example.org/a.tif" }],
  ["https:%2F%2F%2Fexample.org/info.json", "identifier_refused"],
  ["https:%2F/info.json", "identifier_refused"],
  ["https:%2F%2F..%2Fa/info.json", "identifier_refused"],
  // Names that could leave a source.
  ["", "identifier_refused"],
  ["/", "identifier_refused"],
  ["../info.json", "identifier_refused"],
  ["./info.json", "identifier_refused"],
  ["a/%2e%2E/b/info.json", "identifier_refused"],
  ["a%2F..%2Fb/full/max/0/default.jpg", "identifier_refused"],
  ["a%2F%2Fb/info.json", "identifier_refused"],
  ["a%2F/info.json", "identifier_refused"],
  ["%2Fetc%2Fpasswd/info.json", "identifier_refused"],
  ["a%00.tif/info.json", "identifier_refused"],
  ["a%5C..%5Cb/info.json", "identifier_refused"],
  ["a\\b/info.json", "identifier_refused"],
  ["C:%2FWindows/info.json", "identifier_refused"],
  ["c:a/info.json", "identifier_refused"],
  ["a/C:/b/info.json", "identifier_refused"],
  ["file:%2F%2F%2Fetc%2Fpasswd/info.json", "identifier_refused"],
  // Dots that are a name.
  ["..a/info.json", { kind: "info", identifier: "..a" }],
  ["a/.../b/info.json", { kind: "info", identifier: "a/.../b" }],
  [".hidden/info.json", { kind: "info", identifier: ".hidden" }],
];

export const identifierSpellings: readonly (readonly [identifier: string, spelling: string])[] = [
  ["sample", "sample"],
  ["ark:/12025/654xz321", "ark:%2F12025%2F654xz321"],
  ["a/b c", "a%2Fb%20c"],
  ["a?b#c[d]e@f%g", "a%3Fb%23c%5Bd%5De%40f%25g"],
  ["!$&'()*+,;=:-._~", "!$&'()*+,;=:-._~"],
  ['"<>^`{|}', "%22%3C%3E%5E%60%7B%7C%7D"],
  ["ü", "%C3%BC"],
  ["😀", "%F0%9F%98%80"],
  ["a\tb\u007f", "a%09b%7F"],
  ["a%2Fb", "a%252Fb"],
];
