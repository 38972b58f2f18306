// Finds settings by their names, labels and explanations: in the form, and in the running configuration.
{
  const find = document.getElementById("find");
  const [field, said] = find.children;
  const running = document.getElementById("running");
  const fieldsets = [...document.querySelectorAll("form.fields fieldset")];

  /** Lines of the configuration, each with the names of the sections around it. */
  const above = [];
  const lines = running.textContent
    .trim()
    .split("\n")
    .map((text) => {
      const indent = text.search(/[^ ]/);
      while (above.length > 0 && above.at(-1).indent >= indent) above.pop();
      const line = { text, indent, above: [...above] };
      above.push(line);
      line.path = [...above.map((each) => each.text.trim().split(":")[0]), text].join(".").toLowerCase();
      return line;
    });

  const show = () => {
    const words = field.value.trim().toLowerCase().split(/\s+/);
    const matches = (text) => words.every((word) => text.toLowerCase().includes(word));
    let settings = 0;
    for (const fieldset of fieldsets) {
      const fields = [...fieldset.querySelectorAll(".field")];
      for (const each of fields) each.hidden = !matches(each.textContent);
      const shown = fields.filter((each) => !each.hidden).length;
      fieldset.hidden = shown === 0;
      settings += shown;
    }
    const found = new Set(lines.filter(({ path }) => matches(path)).flatMap((line) => [...line.above, line]));
    running.textContent = lines.flatMap((line) => (found.has(line) ? line.text : [])).join("\n");
    said.textContent =
      field.value.trim() === ""
        ? ""
        : `${settings} of the settings, ${found.size} lines of the configuration`;
  };

  find.hidden = false;
  find.addEventListener("submit", (event) => event.preventDefault());
  field.addEventListener("input", show);
  // A browser may restore what was typed.
  if (field.value !== "") show();
}
