// Light, dark or what the system says; opening everything; everything opened for print.
function theme() {
  const button = document.getElementById("theme");
  const names = ["system", "light", "dark"];
  let at = 0;
  button.addEventListener("click", () => {
    at = (at + 1) % names.length;
    if (at === 0) delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = names[at];
    button.textContent = "Theme: " + names[at];
  });
}

function folds() {
  const all = () => Array.from(document.querySelectorAll("details"));
  const button = document.getElementById("fold");
  button.addEventListener("click", () => {
    const open = button.getAttribute("aria-pressed") !== "true";
    all().forEach((d) => { d.open = open; });
    button.setAttribute("aria-pressed", open);
    button.textContent = open ? "Close all" : "Open all";
  });
  let closed = [];
  window.addEventListener("beforeprint", () => {
    closed = all().filter((d) => !d.open);
    closed.forEach((d) => { d.open = true; });
    // Figures as wide as the paper, and tables that are wider made smaller.
    figures.forEach((f) => f.redraw(f.small ? 320 : 670));
    const tables = Array.from(document.querySelectorAll(".table table"));
    tables.forEach((t) => t.classList.add("measured"));
    const widths = tables.map((t) => t.scrollWidth * 0.72);  // type in print is that much smaller
    tables.forEach((t, i) => {
      t.classList.remove("measured");
      t.style.zoom = widths[i] > 680 ? Math.max(0.4, 680 / widths[i]) : "";
    });
  });
  window.addEventListener("afterprint", () => {
    closed.forEach((d) => { d.open = false; });
    figures.forEach((f) => f.redraw());
    document.querySelectorAll(".table table").forEach((t) => { t.style.zoom = ""; });
  });
}
