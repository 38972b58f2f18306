import { describe, expect, test } from "vitest";
import { isEncoded, isPage } from "../../../src/server/sources/foreign-bytes.ts";
import { fixture } from "../../host.ts";

const bytes = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));

describe("a page", () => {
  test.each([
    "<!DOCTYPE html><html>",
    '<!doctype HTML PUBLIC "-//W3C//DTD HTML 4.01//EN">',
    "\n\n  <html lang=de>",
    "\xef\xbb\xbf<html>",
    '<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC>',
    "<!-- cached --><html>",
    "<head><title>404</title>",
    "<TITLE>Login</TITLE>",
    "<h1>Not found</h1>",
    "<script>location=1</script>",
    "<br/>",
  ])("is recognised by its bytes, whatever its type: %j", (text) => {
    for (const type of ["image/jpeg", "application/octet-stream", "text/html", null])
      expect(isPage(bytes(text), type)).toBe(true);
  });

  test.each(["Not found", "", "{}", "0123456789"])("is a text that says it is HTML: %j", (text) => {
    expect(isPage(bytes(text), "text/html; charset=utf-8")).toBe(true);
    expect(isPage(bytes(text), " Application/XHTML+xml")).toBe(true);
    expect(isPage(bytes(text), "text/plain")).toBe(false);
    expect(isPage(bytes(text), null)).toBe(false);
  });

  test.each(["jpg-baseline-420.jpg", "png-rgb8-interlaced.png", "tif-pyramid-subifd.tif"])(
    "is not %s, although its server says so",
    (name) => {
      expect(isPage(fixture(name), "text/html")).toBe(false);
    },
  );

  test.each(["<svg xmlns=''>", '<?xml version="1.0"?><Error>', "<manifest>", "<bold", "a: <html>"])(
    "is not %j",
    (text) => expect(isPage(bytes(text), "application/xml")).toBe(false),
  );
});

describe("a content coding", () => {
  const jpeg = Uint8Array.of(0xff, 0xd8, 0xff, 0xe0);
  const gzip = Uint8Array.of(0x1f, 0x8b, 8, 0);
  test.each([
    null,
    "",
    "identity",
    "Identity",
    "aws-chunked",
    "AWS-CHUNKED",
    "aws-chunked,",
    "utf-8",
    "UTF8",
    "binary",
    "none",
    "8bit",
    "chunked",
    "iso-8859-1, binary",
    "aws-chunked,gzip",
    "aws-chunked, br",
  ])("is not %j of plain bytes", (name) => expect(isEncoded(name, jpeg)).toBe(false));

  test.each(["gzip", "GZIP", "x-gzip", "br", "deflate", "zstd", "compress", "identity, gzip", "utf-8,br"])(
    "is %j",
    (name) => expect(isEncoded(name, jpeg)).toBe(true),
  );

  test("is one of an upload if the bytes are compressed", () => {
    expect(isEncoded("aws-chunked,gzip", gzip)).toBe(true);
    expect(isEncoded("aws-chunked,zstd", Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd))).toBe(true);
  });
});
