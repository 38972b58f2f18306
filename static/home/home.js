// The zoomable picture of the start page, and the pictures to choose from.
(() => {
  const byId = (id) => document.getElementById(id);
  const [stage, place, trouble, controls] = ["stage", "viewer", "trouble", "controls"].map(byId);
  if (!place || !window.showZoomable) return;
  // What addresses begin with: those of images by version, and those of manifests and viewers, which keep each slash.
  const { v2, v3, manifest, view } = place.dataset;
  const prefix = { 2: v2, 3: v3, manifest, view };
  const address = (id, version, rest) =>
    prefix[version] + (version === "manifest" || version === "view" ? id.replaceAll("%2F", "/") : id) + rest;
  const { viewer, setLabel } = window.showZoomable({
    tileSources: address(place.dataset.id, 3, "/info.json"),
    showNavigator: place.clientWidth >= 640,
    navigatorId: "navigator",
    navigatorAutoFade: false,
    navigatorOpacity: 1,
    maxZoomPixelRatio: 3,
  });
  setLabel(byId("name").textContent);
  controls.hidden = false;

  const links = [...document.querySelectorAll(".strip .picture")];
  const mark = () => {
    for (const link of links) {
      if (link.dataset.id === place.dataset.id) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  };

  const show = (link) => {
    const { id, name, size, large } = link.dataset;
    place.dataset.id = id;
    place.hidden = false;
    trouble.hidden = true;
    viewer.open(address(id, 3, "/info.json"));
    setLabel(name);
    byId("name").textContent = byId("name").title = name;
    byId("size").textContent = size;
    for (const element of document.querySelectorAll("[data-version]")) {
      const { version, rest = large } = element.dataset;
      const whole = address(id, version, rest);
      if (element.href) {
        element.href = whole;
        element.querySelector(".start").textContent = address(id, version, "");
        if (rest) element.lastChild.textContent = rest;
      } else element.textContent = `'${whole.replaceAll("'", "%27")}'`;
    }
    mark();
  };

  /** Whether somebody chose a picture: what is shown then stays, with its reason where it fails. */
  let chosen = false;
  for (const link of links)
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      if (!link.href) return;
      chosen = true;
      show(link);
      stage.scrollIntoView({ block: "nearest" });
    });
  mark();

  // A file whose header is sound may still be damaged behind it, which shows when its pixels are asked for.
  const reasonOf = async (url) => {
    const answer = await fetch(url, { headers: { Accept: "application/problem+json" } }).catch(
      () => undefined,
    );
    if (answer?.ok) return undefined;
    const problem = await answer?.json().catch(() => undefined);
    return problem?.detail ?? place.dataset.away;
  };
  const broken = (link, reason) => {
    const item = link.parentElement;
    if (item.classList.contains("broken")) return;
    item.classList.add("broken");
    link.removeAttribute("href");
    link.querySelector("img").remove();
    item.querySelector(".more").remove();
    const text = document.createElement("span");
    text.className = "reason quiet";
    text.textContent = reason;
    link.append(text);
  };
  const instead = (reason) => {
    const next = chosen ? undefined : links.find((link) => link.href && link.dataset.id !== place.dataset.id);
    if (next) return show(next);
    viewer.close();
    place.hidden = true;
    trouble.hidden = false;
    trouble.textContent = `${place.dataset.broken.replace("{name}", () => byId("name").textContent)} ${reason}`;
  };
  const fail = (id, reason) => {
    const link = links.find((each) => each.dataset.id === id);
    if (link) broken(link, reason);
    if (id === place.dataset.id) instead(reason);
  };

  for (const link of links) {
    const image = link.querySelector("img");
    const failed = async () => {
      const reason = await reasonOf(image.src);
      if (reason) fail(link.dataset.id, reason);
    };
    image.addEventListener("error", failed, { once: true });
    if (image.complete && image.naturalWidth === 0 && image.currentSrc) void failed();
  }
  // Tiles of the picture before may still arrive or fail when the next one is already open.
  let drawn = false;
  const isCurrent = (tile) => tile.getUrl().startsWith(address(place.dataset.id, 3, "/"));
  viewer.addHandler("open", () => {
    drawn = false;
  });
  viewer.addHandler("tile-loaded", ({ tile }) => {
    drawn ||= isCurrent(tile);
  });
  viewer.addHandler("tile-load-failed", async ({ tile }) => {
    if (drawn || !isCurrent(tile)) return;
    const { id } = place.dataset;
    const reason = await reasonOf(tile.getUrl());
    if (reason && !drawn) fail(id, reason);
  });
  viewer.addHandler("open-failed", async () => {
    const { id } = place.dataset;
    const reason = await reasonOf(address(id, 3, "/info.json"));
    if (reason) fail(id, reason);
  });
})();
