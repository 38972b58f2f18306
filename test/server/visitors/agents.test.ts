import { describe, expect, test } from "vitest";
import { agentKindOf } from "../../../src/server/visitors/agents.ts";

const chrome = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0";

describe("readers", () => {
  test.each([
    ["Chrome", `Mozilla/5.0 (X11; Linux x86_64) ${chrome} Safari/537.36`],
    ["Firefox", "Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:150.0) Gecko/20100101 Firefox/150.0"],
    [
      "Safari on a phone",
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1",
    ],
    ["Edge", `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${chrome} Safari/537.36 Edg/150.0.0.0`],
    [
      "Samsung's browser",
      "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36",
    ],
    ["a phone of Cubot", `Mozilla/5.0 (Linux; Android 11; CUBOT NOTE 20) ${chrome} Mobile Safari/537.36`],
    [
      "the browser in an app",
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 [FBAN/FBIOS;FBDV/iPhone15,2;FBMD/iPhone]",
    ],
    [
      "a viewer that is a program of its own",
      `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Viewer/1.2.0 Chrome/134.0.0.0 Electron/35.0.0 Safari/537.36`,
    ],
    ["Internet Explorer 11", "Mozilla/5.0 (Windows NT 6.1; WOW64; Trident/7.0; rv:11.0) like Gecko"],
    ["Internet Explorer 9", "Mozilla/5.0 (compatible; MSIE 9.0; Windows NT 6.1; Trident/5.0)"],
    ["Internet Explorer 8", "Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.1; Trident/4.0)"],
    ["Konqueror", "Mozilla/5.0 (compatible; Konqueror/4.14; Linux) KHTML/4.14.2 (like Gecko)"],
    ["old Opera", "Opera/9.80 (Windows NT 6.1; U; en) Presto/2.12.388 Version/12.18"],
    ["NetSurf", "Mozilla/5.0 (X11; Linux x86_64) NetSurf/3.11"],
    ["Lynx", "Lynx/2.9.0dev.12 libwww-FM/2.14 SSL-MM/1.4.1 GNUTLS/3.7.8"],
    ["w3m", "w3m/0.5.3+git20230121"],
    ["Links", "Links (2.28; Linux 6.1.0 x86_64; GNU C 12.2; text)"],
    ["ELinks", "ELinks/0.13.2 (textmode; Linux x86_64; 80x24-2)"],
  ])("with %s have a browser", (_, agent) => {
    expect(agentKindOf(agent)).toBe("browser");
  });
});

describe("crawlers", () => {
  test.each([
    ["Googlebot", "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"],
    [
      "Googlebot for phones",
      "Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    ],
    ["GoogleOther", `Mozilla/5.0 (X11; Linux x86_64; GoogleOther) ${chrome} Safari/537.36`],
    [
      "bingbot",
      "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm) Chrome/116.0.1938.76 Safari/537.36",
    ],
    [
      "GPTBot",
      "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.3; +https://openai.com/gptbot)",
    ],
    [
      "ChatGPT-User",
      "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ChatGPT-User/1.0; +https://openai.com/bot)",
    ],
    [
      "ClaudeBot",
      "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)",
    ],
    [
      "Bytespider",
      "Mozilla/5.0 (Linux; Android 5.0) AppleWebKit/537.36 (KHTML, like Gecko) Mobile Safari/537.36 (compatible; Bytespider; spider-feedback@bytedance.com)",
    ],
    ["Amazon's for users", `Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Amzn-User/0.1)`],
    ["one without a known name", "Mozilla/5.0 (compatible; Cotoyogi/4.0)"],
    ["one with an address alone", `Mozilla/5.0 (X11; Linux x86_64) ${chrome} Safari/537.36; +example.ai`],
    [
      "one behind a browser's name",
      `Mozilla/5.0 (X11; Linux x86_64) ${chrome} Safari/537.36; Manus-User/1.0`,
    ],
    ["CCBot", "CCBot/2.0 (https://commoncrawl.org/faq/)"],
    ["Meta's", "meta-externalagent/1.1 (+https://developers.facebook.com/docs/sharing/webmasters/crawler)"],
    [
      "img2dataset",
      "Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:72.0) Gecko/20100101 Firefox/72.0 (compatible; img2dataset; +https://github.com/rom1504/img2dataset)",
    ],
    ["HTTrack", "Mozilla/4.5 (compatible; HTTrack 3.0x; Windows 98)"],
    [
      "a browser that nobody sees",
      "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/150.0.0.0 Safari/537.36",
    ],
    ["Heritrix", "Mozilla/5.0 (compatible; heritrix/3.4.0 +https://archive.org/details/archive.org_bot)"],
    ["Mastodon", "Mastodon/4.3.0 (http.rb/5.2.0; +https://example.social/)"],
  ])("such as %s are crawlers", (_, agent) => {
    expect(agentKindOf(agent)).toBe("crawler");
  });
});

describe("programs", () => {
  test.each([
    "curl/8.5.0",
    "Wget/1.21.4",
    "python-requests/2.31.0",
    "Python/3.12 aiohttp/3.9.1",
    "Java/17.0.9",
    "Apache-HttpClient/5.3 (Java/21)",
    "okhttp/4.12.0",
    "Go-http-client/2.0",
    "node",
    "axios/1.7.2",
    "libwww-perl/6.72",
    "PostmanRuntime/7.43.0",
    "dezoomify-rs/2.15.0",
    "WhatsApp/2.24.6.77 A",
    "Mozilla/5.0",
    "Mozilla/5.0 zgrab/0.x",
    "Mozilla/5.0 (Windows NT; Windows NT 10.0; en-US) WindowsPowerShell/5.1.19041.3803",
    "Mozilla/5.0 (linux) AppleWebKit/537.36 (KHTML, like Gecko) jsdom/26.1.0",
    "",
  ])("%s is one", (agent) => {
    expect(agentKindOf(agent)).toBe("program");
  });

  test("need not name themselves, and a long name costs no more than a short one", () => {
    expect(agentKindOf(undefined)).toBe("program");
    expect(agentKindOf(`${"x".repeat(1_000_000)} bot`)).toBe("program");
  });
});
