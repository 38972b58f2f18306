// Compares the address in the browser with what ids begin with. Without this script a form does.
(() => {
  const section = document.getElementById("seen-address");
  const notice = document.getElementById("seen-now");
  const seen = location.origin + location.pathname.replace(/\/admin\/doctor(\/.*)?$/, "");
  const same = seen === section.dataset.base;
  notice.classList.add(same ? "good" : "bad");
  notice.firstElementChild.textContent = same
    ? `Your browser is at ${seen}, which ids begin with.`
    : `Your browser is at ${seen}, but ids begin with ${section.dataset.base}. Compare the addresses below to see what to change.`;
  notice.hidden = false;
  const field = document.getElementById("seen");
  if (field.value === "") field.value = `${seen}/admin/doctor`;
})();
