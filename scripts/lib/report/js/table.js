// Tables: sorted by a click on a head, filtered, a page of rows at a time, out as CSV.
const PAGE = 200;

function csvText(value) {
  const text = value === null || value === undefined ? "" : String(value);
  return /[",\n\r]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
}

function save(name, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  link.download = name.replace(/[^A-Za-z0-9_.-]+/g, "_").replace(/^_+|_+$/g, "") + ".csv";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// Numbers by size, texts by the numbers in them, what has no value last.
const collator = new Intl.Collator("en", { numeric: true });
function compare(a, b, direction) {
  const none = (v) => v === null || v === undefined || v === "";
  if (none(a) || none(b)) return none(a) - none(b);
  if (typeof a === "number" && typeof b === "number") return direction * (a - b);
  return direction * collator.compare(String(a), String(b));
}

function table(box) {
  const body = box.querySelector("tbody");
  const heads = Array.from(box.querySelectorAll("thead th"));
  const rest = box.querySelector("script.rest");
  const filter = box.querySelector(".filter");
  const dull = box.querySelector("input.dull");
  const shown = box.querySelector(".shown");
  const numeric = heads.map((h) => h.classList.contains("n"));
  const number = (text) => (text === "" ? null : Number.isNaN(Number(text)) ? text : Number(text));

  // A row: its cells' values and texts, and its element once there is one.
  const rows = Array.from(body.rows).map((tr) => ({
    element: tr, dull: tr.classList.contains("dull"),
    values: Array.from(tr.cells).map((td) => number(td.dataset.v !== undefined ? td.dataset.v : td.textContent)),
    texts: Array.from(tr.cells).map((td) => td.textContent),
    titles: Array.from(tr.cells).map((td) => td.title),
  }));
  if (rest) {
    for (const [cells, isDull, mark] of JSON.parse(rest.textContent)) {
      rows.push({ dull: isDull, mark, cells, titles: cells.map((c) => c[3] || ""), values: cells.map((c) => c[0]), texts: cells.map((c) => (c.length > 1 ? c[1] : c[0] === null ? "" : c[0])) });
    }
  }
  const original = rows.slice();

  function element(row) {
    if (row.element) return row.element;
    const tr = document.createElement("tr");
    tr.className = (row.dull ? "dull " : "") + row.mark;
    row.cells.forEach((cell, i) => {
      const td = tr.insertCell();
      if (cell[4]) {
        const link = document.createElement("a");
        link.href = cell[4];
        link.textContent = row.texts[i];
        td.append(link);
      } else td.textContent = row.texts[i];
      td.className = (numeric[i] ? "n " : "") + (cell[2] || "");
      if (cell[3]) td.title = cell[3];
    });
    row.element = tr;
    return tr;
  }

  let page = 0;
  let pager = null;
  function visible(list) {
    const wanted = filter ? filter.value.trim().toLowerCase().split(/\s+/).filter(Boolean) : [];
    return list.filter((row) => {
      if (row.dull && !(dull && dull.checked) && !wanted.length) return false;
      const text = wanted.length ? row.texts.join(" ").toLowerCase() : "";
      return wanted.every((w) => text.includes(w));
    });
  }
  let order = original;
  function draw() {
    const list = visible(order);
    const pages = Math.max(1, Math.ceil(list.length / PAGE));
    page = Math.min(page, pages - 1);
    const part = list.slice(page * PAGE, (page + 1) * PAGE);
    body.replaceChildren(...part.map(element));
    box.classList.add("all");
    const filtered = filter && filter.value.trim();
    shown.textContent = pages > 1 ? `rows ${page * PAGE + 1} to ${page * PAGE + part.length} of ${list.length}`
      : filtered ? `${list.length} of ${rows.length} rows` : "";
    if (pager) pager.forEach((b, i) => { b.hidden = pages < 2; b.disabled = i === 0 ? page === 0 : page === pages - 1; });
  }
  if (rows.length > PAGE) {
    pager = ["Previous", "Next"].map((name, i) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = name;
      button.addEventListener("click", () => { page += i === 0 ? -1 : 1; draw(); box.querySelector(".scroll").scrollTop = 0; });
      shown.after(button);
      return button;
    });
    shown.after(...pager);
  }
  heads.forEach((head, column) => {
    head.querySelector("button").addEventListener("click", () => {
      const now = head.getAttribute("aria-sort");
      // Numbers: the largest first; a third click brings the order of the file back.
      const turn = numeric[column] ? ["none", "descending", "ascending"] : ["none", "ascending", "descending"];
      const next = turn[(turn.indexOf(now) + 1) % 3];
      heads.forEach((h) => h.setAttribute("aria-sort", h === head ? next : "none"));
      const direction = next === "ascending" ? 1 : -1;
      order = next === "none" ? original
        : original.slice().sort((a, b) => compare(a.values[column], b.values[column], direction));
      page = 0;
      draw();
    });
  });
  if (filter) filter.addEventListener("input", () => { page = 0; draw(); });
  if (dull) dull.addEventListener("change", draw);
  const csv = () => [heads.map((h) => h.textContent), ...order.map((r) => r.values)]
    .map((line) => line.map(csvText).join(",")).join("\n") + "\n";
  const copy = box.querySelector(".copy");
  copy.addEventListener("click", () => {
    const done = (ok) => { copy.textContent = ok ? "Copied" : "Not allowed"; setTimeout(() => { copy.textContent = "Copy CSV"; }, 1500); };
    if (navigator.clipboard) navigator.clipboard.writeText(csv()).then(() => done(true), () => done(false));
    else done(false);
  });
  box.querySelector(".save").addEventListener("click", () => {
    const title = box.querySelector("h4");
    save(title ? title.textContent : document.title, csv());
  });
  if (rows.length > PAGE || dull) draw();

  // Shows a row, whatever hid it: another page, a filter, a fold.
  function reveal(row) {
    if (filter) filter.value = "";
    if (row.dull && dull) dull.checked = true;
    const list = visible(order);
    page = Math.floor(Math.max(0, list.indexOf(row)) / PAGE);
    draw();
    for (let e = box; e; e = e.parentElement) if (e.tagName === "DETAILS") e.open = true;
    const tr = element(row);
    document.querySelectorAll("tr.hit").forEach((e) => e.classList.remove("hit"));
    tr.classList.add("hit");
    tr.scrollIntoView({ block: "center" });
  }
  return { box, rows: original, reveal };
}
