// The colours of the reader's choice, before the page is drawn: those of the system, or light, or dark.

const themes = ["system", "light", "dark"];
const key = "smalti-docs-theme";
const page = document.documentElement;

const stored = () => {
  try {
    const theme = localStorage.getItem(key);
    return themes.includes(theme) ? theme : "system";
  } catch {
    return "system"; // storage may be forbidden
  }
};

const show = (theme) => {
  page.dataset.theme = theme;
  const button = document.getElementById("theme");
  if (button) button.textContent = `Colours: ${theme}`;
};

show(stored());
document.addEventListener("DOMContentLoaded", () => {
  const button = document.getElementById("theme");
  button.hidden = false;
  show(stored());
  button.addEventListener("click", () => {
    const theme = themes[(themes.indexOf(page.dataset.theme) + 1) % themes.length];
    show(theme);
    try {
      localStorage.setItem(key, theme);
    } catch {
      // The choice then lasts as long as the page.
    }
  });
});
