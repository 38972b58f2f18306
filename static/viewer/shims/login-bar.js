// A bar beside a viewer that does not log in by itself: it says that an image is shown reduced, logs in, and logs out, as a client of
// Authorization Flow 2.0. An ES module for pages of this service and for others; its look is in login-bar.css.
//
//   const bar = loginBar(document.querySelector("#login"), () => drawViewerAgain());
//   bar.show("https://images.example.org/iiif/3/page-1.tif/info.json");

/**
 * A bar in an empty element, hidden until there is something to do. `changed` runs after a login and a logout, when the same addresses
 * lead to other pictures. `show` takes the address of the image information that the bar is about, `undefined` for none;
 * `refresh` asks again, as after a login by other means.
 */
export function loginBar(element, changed) {
  const text = element.appendChild(document.createElement("span"));
  const buttons = element.appendChild(document.createElement("span"));
  text.setAttribute("role", "status");
  element.hidden = true;
  /** Of token services that were asked: a promise of a token, of `undefined` where there is no session. */
  const tokens = new Map();
  let address;

  const tokenOf = ({ id }) => {
    if (!tokens.has(id)) tokens.set(id, requestToken(id));
    return tokens.get(id);
  };

  async function show(to) {
    address = to;
    const found = to && (await look(to, tokenOf).catch(() => undefined));
    // A page that was turned to meanwhile counts.
    if (address === to) draw(found);
  }

  async function refresh() {
    tokens.clear();
    await show(address);
  }

  function draw(found) {
    const isIn = found?.result.status === 200 && found.token !== undefined && found.logout;
    const isReduced = found?.result.status === 401 && found.result.substitute?.length > 0;
    element.hidden = !isIn && !isReduced;
    if (element.hidden) return;
    const { ways, logout, result } = found;
    const [{ heading, label }] = ways;
    const said = isIn ? [label] : [result.heading ?? heading ?? label, result.note];
    text.textContent = said.map(textOf).filter(Boolean).join(". ");
    buttons.replaceChildren(
      ...(isIn
        ? [buttonOf(logout.label, () => logOut(found))]
        : ways.map((way) => buttonOf(nameOf(way, ways), () => logIn(way)))),
    );
  }

  async function logIn({ id }) {
    const place = new URL(id);
    place.searchParams.set("origin", location.origin);
    const popup = open(place);
    await until(() => !popup || popup.closed);
    await refresh();
    changed();
  }

  async function logOut({ logout, probe, token }) {
    const popup = open(logout.id);
    // A token ends with its session; the window may stay open.
    await until(async () => !popup || popup.closed || (await ask(probe.id, token)).status !== 200);
    await refresh();
    changed();
  }

  return { show, refresh };
}

/** The services of an image and what its probe answers; `undefined` where nobody can log in to it, or where they are not to be trusted. */
async function look(address, tokenOf) {
  const { service = [] } = await (await fetch(address)).json();
  const probe = [service].flat().find(({ type }) => type === "AuthProbeService2");
  const all = probe?.service?.filter(({ type }) => type === "AuthAccessService2") ?? [];
  const below = (type) => all.flatMap((each) => each.service ?? []).find((each) => each.type === type);
  const tokens = below("AuthAccessTokenService2");
  const logout = below("AuthLogoutService2");
  // The document may be anybody's. A token is for the origin alone that it comes from, and other addresses may hold scripts.
  const isSafe = [...all, tokens, logout].every((each) => !each || originOf(each.id));
  if (!tokens || !isSafe || originOf(probe.id) !== originOf(tokens.id)) return undefined;
  const token = await tokenOf(tokens);
  return { probe, ways: waysOf(all), logout, token, result: await ask(probe.id, token) };
}

/** The ways in that open a window for readers to act in; without one, whatever there is. */
function waysOf(all) {
  const withPage = all.filter(({ profile }) => profile !== "external" && profile !== "kiosk");
  return withPage.length > 0 ? withPage : all;
}

/** The origin of an address of the web; `undefined` for any other. */
function originOf(address) {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  return /^https?:$/.test(url?.protocol) ? url.origin : undefined;
}

/** The result of a probe. */
async function ask(probe, token) {
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  return (await fetch(probe, { headers })).json();
}

function buttonOf(label, act) {
  const button = document.createElement("button");
  button.textContent = textOf(label) ?? "…";
  button.onclick = act;
  return button;
}

/** What its button says: of several ways, which one. */
const nameOf = ({ label, confirmLabel }, { length }) => (length > 1 ? label : (confirmLabel ?? label));

let asked = 0;

/** A token of the session that the browser's cookie names, through a hidden frame; `undefined` without a session. */
function requestToken(service) {
  const place = new URL(service);
  place.searchParams.set("messageId", String(++asked));
  place.searchParams.set("origin", location.origin);
  const frame = document.createElement("iframe");
  frame.hidden = true;
  frame.src = place;
  return new Promise((resolve) => {
    const end = (token) => {
      clearTimeout(late);
      removeEventListener("message", hear);
      frame.remove();
      resolve(token);
    };
    const hear = ({ source, origin, data }) => {
      if (source === frame.contentWindow && origin === place.origin) end(data?.accessToken);
    };
    const late = setTimeout(end, 10_000);
    addEventListener("message", hear);
    document.body.append(frame);
  });
}

/** Waits for what no event reports. */
async function until(isSo) {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 250));
}

/** The text of a language map that suits the reader best. */
function textOf(map) {
  if (!map) return undefined;
  const language = navigator.languages
    .flatMap((each) => [each, each.split("-")[0]])
    .find((each) => map[each]);
  return (map[language] ?? map.none ?? Object.values(map)[0])?.[0];
}
