// Compares the address in the browser with what ids begin with. Without this script the field of the page
// does so for a typed address.
(() => {
  const notice = document.getElementById("seen-now");
  const { base } = notice.dataset;
  const seen = location.origin + location.pathname.replace(/\/admin\/doctor(\/.*)?$/, "");
  const same = seen === base;
  notice.classList.add(same ? "good" : "bad");
  notice.firstElementChild.textContent = same
    ? `This page was opened at ${seen}, and ids for requests from here begin with the same.`
    : `This page was opened at ${seen}, but ids for requests from here begin with ${base}. Examine ${location.href} above to see what to change.`;
  notice.hidden = false;
})();
