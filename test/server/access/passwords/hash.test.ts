import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { apr1 } from "../../../../src/server/access/passwords/apr1.ts";
import { hashPassword, verifyHere, verifyInTurns } from "../../../../src/server/access/passwords/hash.ts";
import { hashFault } from "../../../../src/server/access/passwords/hash-forms.ts";

const passwords = [
  "",
  "a",
  "secret",
  "correct horse battery staple",
  "Änn pässwörd \u{1f5bc}",
  "$apr1$:x",
  "0123456789abcdef",
  "0123456789abcdef0",
  "y".repeat(100),
];
const salts = ["a", "abcdefgh", "./AZaz09"];

describe("an APR1 hash", () => {
  it("equals openssl's, whatever the length of password and salt", () => {
    for (const salt of salts) {
      const lines = execFileSync("openssl", ["passwd", "-apr1", "-salt", salt, ...passwords.slice(1)], {
        encoding: "utf8",
      });
      expect(passwords.slice(1).map((password) => apr1(password, salt))).toEqual(lines.trim().split("\n"));
    }
    // Output of `openssl passwd -apr1 -salt abcdefgh ""`.
    expect(apr1("", "abcdefgh")).toBe("$apr1$abcdefgh$L.PT565ESX4Tp2bqNs7Ie.");
  });
});

// Hashes of cost 5 are test vectors of Openwall's crypt_blowfish; the others were made by crypt(3) of
// libxcrypt.
const bcrypt: readonly (readonly [password: string, hash: string])[] = [
  ["U*U", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"],
  ["U*U*", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.VGOzA784oUp/Z0DY336zx7pLYAy0lwK"],
  ["U*U*U", "$2a$05$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a"],
  ["correct horse", "$2b$05$CCCCCCCCCCCCCCCCCCCCC.WrAwgFxicHZ3kL7zMvXYXHKosDn8ot2"],
  ["Änn pässwörd", "$2y$04$......................O1cDnod78RAT1j5y6K3Fb1ykkT8giXC"],
  ["x".repeat(80), "$2a$04$abcdefghijklmnopqrstuubzadhGtS2zEF.gu0yd0opP6cVzb.e0i"],
  ["", "$2b$04$abcdefghijklmnopqrstuubyCG3zY1GIXMyxfivm.ClDiInHzxjiq"],
];
const verifiable = [...bcrypt, ...salts.map((salt) => ["secret", apr1("secret", salt)] as const)];

describe.each(verifiable)("the password %j and its hash %s", (password, hash) => {
  it("fit, and no other password fits", async () => {
    expect(hashFault(hash)).toBeUndefined();
    expect([verifyHere(password, hash), await verifyInTurns(password, hash)]).toEqual([true, true]);
    for (const other of ["x", `X${password}`, password.slice(0, 60).slice(1), hash]) {
      if (other === password) continue;
      expect([other, verifyHere(other, hash)]).toEqual([other, false]);
      expect([other, await verifyInTurns(other, hash)]).toEqual([other, false]);
    }
  });
});

describe("a text", () => {
  const [, good = ""] = bcrypt[0] ?? [];
  it.each([
    ["secret", "plaintext"],
    ["", "plaintext"],
    ["rqXexS6ZhobKA", "crypt"],
    ["{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=", "SHA-1"],
    ["{SSHA}5en6G6MezRroT3XKqkdPOmY/BfQ=", "salted SHA-1"],
    ["$1$abcdefgh$irWbblnpmw.5z7wgBnprh0", "MD5-crypt"],
    ["$5$salt$x", "SHA-256-crypt"],
    ["$6$salt$x", "SHA-512-crypt"],
    ["$argon2id$v=19$m=65536,t=3,p=4$x", "Argon2"],
    ["$y$j9T$x", "yescrypt"],
    [good.replace("$2a$", "$2x$"), "bcrypt"],
    [good.slice(0, -1), "bcrypt"],
    [`${good}x`, "bcrypt"],
    [good.replace("$05$", "$03$"), "bcrypt"],
    [good.replace("$05$", "$16$"), "cost of at most 15"],
    [good.replace("$05$", "$31$"), "cost of at most 15"],
    ["$apr1$abcdefghi$cy3DSYyOwfhsyu7QOMQzd.", "APR1-MD5"],
    ["$apr1$abcdefgh$cy3DSYyOwfhsyu7QOMQzd", "APR1-MD5"],
  ])("that is no usable hash is refused by its kind, not repeated: %s (%s)", (text, kind) => {
    const fault = hashFault(text) ?? expect.unreachable("it is none");
    expect(fault.split("received")[kind.startsWith("cost") ? 0 : 1]).toContain(kind);
    if (text) expect(fault).not.toContain(text);
  });
});

describe("a hash that is made", () => {
  it("fits its password alone, and differs from another of the same", async () => {
    const [one, two] = [await hashPassword("a password", 4), await hashPassword("a password", 4)];
    expect(one).toMatch(/^\$2b\$04\$[./A-Za-z0-9]{53}$/);
    expect(one).not.toBe(two);
    expect(hashFault(one)).toBeUndefined();
    expect(verifyHere("a password", one)).toBe(true);
    expect(verifyHere("A password", one)).toBe(false);
  });

  it("is never made of an empty password, or of one that bcrypt would cut", async () => {
    await expect(hashPassword("", 4)).rejects.toThrow("empty");
    await expect(hashPassword("é".repeat(37), 4)).rejects.toThrow("72 bytes");
    expect(await hashPassword("é".repeat(36), 4)).toMatch(/^\$2b\$04/);
  });
});
