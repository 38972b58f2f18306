// Compares the address in the browser with what ids begin with. Without this script the field of the page
// does so for a typed address.
(() => {
  const notice = document.getElementById("seen-now");
  const { base } = notice.dataset;
  const seen = location.origin + location.pathname.replace(/\/admin\/doctor(\/.*)?$/, "");
  const same = seen === base;
  notice.classList.add(same ? "good" : "bad");
  notice.firstElementChild.textContent = same
    ? `Your browser is at ${seen}, which ids begin with.`
    : `Your browser is at ${seen}, but ids begin with ${base}. Examine ${location.href} above to see what to change.`;
  notice.hidden = false;
})();
