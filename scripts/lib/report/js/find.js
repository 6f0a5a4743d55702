// A search over all tables of the page: rows that have every word, in a cell or in what a cell means.
const FOUND = 20;
const wordsOf = (text) => text.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean);
// "pauses" finds "paused": endings do not count where enough is left.
const stem = (word) => (word.length > 4 ? word.replace(/(ing|ed|es|s)$/, "") : word);

function find(tables) {
  const input = document.getElementById("find");
  const list = document.getElementById("found");
  const count = document.getElementById("found-count");
  let entries = null;

  // Made when it is first needed: a study has thousands of rows.
  function all() {
    if (entries) return entries;
    entries = [];
    for (const t of tables) {
      const section = t.box.closest("section");
      const label = section && section.querySelector("h2") ? section.querySelector("h2").firstChild.textContent.trim() : "";
      const caption = t.box.querySelector("h4");
      const around = [label, caption ? caption.textContent : ""].filter(Boolean).join(", ");
      for (const row of t.rows) {
        const name = String(row.texts[0]);
        entries.push({ t, row, around, name, first: wordsOf(name),
          words: wordsOf([...row.texts, ...row.titles, around].join(" ")), dull: row.dull });
      }
    }
    return entries;
  }
  function score(entry, wanted) {
    let sum = 0;
    for (const w of wanted) {
      if (entry.first.some((x) => stem(x) === w)) sum += 3;
      else if (entry.first.some((x) => x.startsWith(w))) sum += 2;
      else if (entry.words.some((x) => x.startsWith(w))) sum += 1;
      else return 0;
    }
    return sum - (entry.dull ? 0.5 : 0) - 0.01 * entry.first.length;  // of several that fit, the plainest name
  }
  function show() {
    const wanted = wordsOf(input.value).map(stem);
    list.replaceChildren();
    list.hidden = !wanted.length;
    count.textContent = "";
    if (!wanted.length) return;
    const hits = all().map((entry, i) => [score(entry, wanted), i, entry]).filter((h) => h[0] > 0)
      .sort((a, b) => b[0] - a[0] || a[1] - b[1]);
    for (const [, , entry] of hits.slice(0, FOUND)) {
      const item = document.createElement("li");
      const button = document.createElement("button");
      button.type = "button";
      const name = document.createElement("b");
      name.textContent = entry.name;
      const values = entry.row.texts.slice(1).filter((x) => x !== "").slice(0, 4).join(" \u00b7 ");
      const place = document.createElement("small");
      place.textContent = [entry.row.titles[0], entry.around].filter(Boolean).join(" \u2014 ");
      button.append(name, ` ${values} `, place);
      button.addEventListener("click", () => entry.t.reveal(entry.row));
      item.append(button);
      list.append(item);
    }
    const text = hits.length ? `${hits.length} rows${hits.length > FOUND ? `, the first ${FOUND} shown` : ""}` : "No row has all of these words";
    count.textContent = text;
    if (!hits.length || hits.length > FOUND) {
      const item = document.createElement("li");
      item.className = "note";
      item.textContent = text;
      list.append(item);
    }
  }
  input.addEventListener("input", show);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { input.value = ""; show(); }
    if (event.key === "Enter") { const first = list.querySelector("button"); if (first) first.click(); }
  });
}
