// Has a worker solve the challenge of this page, sends the solution, and loads the address again, which then
// has what the reader wanted. If anything fails, the link of the page remains, which needs no script.
(() => {
  const find = (id) => document.getElementById(id);
  const { challenge, to, worker: file, working, done, failed, cookies } = find("proof").dataset;
  const link = find("proof-link");

  const say = (text, { showsLink }) => {
    find("proof-state").textContent = text;
    link.hidden = !showsLink;
  };
  const fail = () => say(failed, { showsLink: true });

  /** True if the same window has solved several challenges within a minute, as if its network changed always. */
  function isLoop() {
    const name = "smalti proofs";
    const before = (sessionStorage.getItem(name) ?? "").split(" ").map(Number);
    const recent = before.filter((time) => time > Date.now() - 60_000);
    sessionStorage.setItem(name, [...recent, Date.now()].join(" "));
    return recent.length >= 3;
  }

  async function send({ counter, key }) {
    const response = await fetch(to, {
      method: "POST",
      body: new URLSearchParams({ challenge, counter, key }),
    });
    if (response.ok) {
      find("proof-wait").hidden = true;
      // What is saved as a file leaves this page in place.
      say(done, { showsLink: true });
      location.reload();
    } else if ((await response.json()).code === "proof_needs_cookie") say(cookies, { showsLink: true });
    else fail();
  }

  function start() {
    if (!navigator.cookieEnabled) return say(cookies, { showsLink: true });
    // Browsers have Web Crypto in secure contexts alone.
    if (!globalThis.crypto?.subtle || isLoop()) return fail();
    say(working, { showsLink: false });
    const worker = new Worker(file);
    worker.onerror = fail;
    worker.onmessage = ({ data }) => send(data).catch(fail);
    worker.postMessage(JSON.parse(challenge).parameters);
  }

  try {
    start();
  } catch {
    fail();
  }
})();
