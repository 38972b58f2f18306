// Logging in with Universal Viewer 4.4.0, which knows Authentication 1.0 alone and asks for a login only where an image is denied with
// 401. With these it logs in from other origins, where a reduced image is shown, and logs out. An ES module for pages of
// this service and for others:
//
//   sendCookiesTo("https://images.example.org");
//   keepEscapes();
//   leaveOutKiosks();
//   const uv = UV.init("uv", { iiifManifestId });
//   const bar = loginBar(document.querySelector("#login"), () => drawAgain(uv));
//   followPages(uv, iiifManifestId, bar);

/**
 * Lets pictures of an origin be asked for with cookies. Universal Viewer marks tiles as `crossorigin="anonymous"`, to which browsers add
 * none on another origin, so that tiles of gated images would stay away after every login. WebGL may not draw such pictures, and a viewer
 * that tries it leaves parts of itself blank; without WebGL it draws them. Before the viewer is made.
 */
export function sendCookiesTo(origin) {
  const source = Object.getOwnPropertyDescriptor(HTMLImageElement.prototype, "src");
  Object.defineProperty(HTMLImageElement.prototype, "src", {
    ...source,
    set(address) {
      if (new URL(address, document.baseURI).origin === origin) this.removeAttribute("crossorigin");
      source.set.call(this, address);
    },
  });
  const { getContext } = HTMLCanvasElement.prototype;
  HTMLCanvasElement.prototype.getContext = function (kind, ...options) {
    return kind.startsWith("webgl") ? null : getContext.call(this, kind, ...options);
  };
}

/**
 * Lets image information be known as that of the image asked for. Universal Viewer decodes its id, and compares that with the address as
 * it was: with a slash in the identifier, written `%2F`, an image behind a password is taken for a reduced one at another address, with
 * an offer to log in beside that of the bar. Before the viewer is made.
 */
export function keepEscapes() {
  const decode = window.unescape;
  window.unescape = (text) => (/^https?:/.test(text) ? text : decode(text));
}

/**
 * Leaves kiosks out of image information. Nobody logs in to one, as the address of the reader decides.
 * Universal Viewer opens a window for it all the same, which browsers block, and offers no other login until
 * the window is closed. Call it before the viewer is made.
 */
export function leaveOutKiosks() {
  const own = Object.getOwnPropertyDescriptor(XMLHttpRequest.prototype, "responseText");
  Object.defineProperty(XMLHttpRequest.prototype, "responseText", {
    ...own,
    get() {
      const text = own.get.call(this);
      return this.readyState === this.DONE && text.includes(kioskProfile) ? withoutKiosks(text) : text;
    },
  });
}

const kioskProfile = "http://iiif.io/api/auth/1/kiosk";

function withoutKiosks(text) {
  const info = JSON.parse(text);
  info.service = [info.service ?? []].flat().filter(({ profile }) => profile !== kioskProfile);
  return JSON.stringify(info);
}

/** Loads the images of a viewer again, at the same page. */
export function drawAgain(uv) {
  uv.set({ isReload: true });
}

/** Has a bar of login-bar.js follow the page that a viewer shows, and a login that the viewer did itself. */
export async function followPages(uv, manifestId, bar) {
  const manifest = fetch(manifestId).then((response) => response.json());
  uv.on("canvasIndexChange", async (index) => bar.show(infoAddress(await manifest, index)));
  addEventListener("message", ({ source, data }) => {
    const frame = document.querySelector("#commsFrame");
    if (!data?.accessToken || source !== frame?.contentWindow) return;
    bar.refresh();
    // Thumbnails that were denied before the login.
    for (const picture of frame.closest(".uv").querySelectorAll("img"))
      if (picture.complete && picture.naturalWidth === 0) picture.src = `${picture.src}`;
  });
}

/** Address of the image information of a canvas, of Presentation 3.0 or 2.1. */
function infoAddress({ items, sequences }, index) {
  const canvas = (items ?? sequences?.[0]?.canvases)?.[index];
  const content = canvas?.items?.[0]?.items?.[0]?.body ?? canvas?.images?.[0]?.resource;
  const [service] = [[content].flat()[0]?.service].flat();
  const id = service?.id ?? service?.["@id"];
  return id && `${id}/info.json`;
}
