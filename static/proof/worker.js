// Solves a challenge of ALTCHA, version 2: finds the number with which PBKDF2 derives a key of the given
// beginning. It takes as long as it takes; nobody is waited for.

const bytesOf = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
const hexOf = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

async function solve({ algorithm, nonce, salt, cost, keyLength, keyPrefix }) {
  const [name, hash] = algorithm.split("/");
  const derivation = { name, hash, salt: bytesOf(salt), iterations: cost };
  const start = bytesOf(nonce);
  const password = new Uint8Array([...start, 0, 0, 0, 0]);
  const view = new DataView(password.buffer);
  for (let counter = 0; ; counter++) {
    view.setUint32(start.length, counter);
    const material = await crypto.subtle.importKey("raw", password, name, false, ["deriveBits"]);
    const key = hexOf(new Uint8Array(await crypto.subtle.deriveBits(derivation, material, keyLength * 8)));
    if (key.startsWith(keyPrefix)) return { counter, key };
  }
}

self.onmessage = async ({ data }) => {
  try {
    self.postMessage(await solve(data));
  } catch (error) {
    // So that the page hears of it.
    self.reportError(error);
  }
};
