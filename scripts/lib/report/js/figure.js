// Shared by all figures: legend, pointer with the values of the nearest point, keys, width of its box.
const shared = JSON.parse(document.getElementById("shared").textContent);
const KINDS = {};

// Columns of a series: its own, or those of a study's points.
function columnsOf(series) {
  if (series.data) return series.data;
  const [block, name] = series.source.split("/");
  return shared[block].rows[name];
}
function describe(series, i) {
  if (!series.source) return "";
  const block = shared[series.source.split("/")[0]];
  const columns = columnsOf(series);
  return block.columns.filter((c) => columns[c.key] && columns[c.key][i] !== null && columns[c.key][i] !== "")
    .map((c) => {
      const value = columns[c.key][i];
      const at = c.ticks ? c.ticks.indexOf(value) : -1;
      const text = c.key === "n" ? value : at >= 0 ? c.texts[at] : shownWithUnit(value, c.unit);
      return (c.title ? `${c.title} ` : "") + text + (at >= 0 && c.unit ? `\u00a0${c.unit}` : "");
    }).join("\n");
}

function swatch(series, spec) {
  const svg = d3.create("svg").attr("width", 26).attr("height", 14).attr("aria-hidden", "true");
  const isBar = spec.kind === "bars" && !spec.dots;
  if (isBar) svg.append("rect").attr("class", `bar ${colourOf(series)}`).attr("x", 5).attr("y", 1).attr("width", 14).attr("height", 12)
    .attr("fill-opacity", series.style >= 6 ? 0.55 : 1);
  else {
    if (series.role !== "points" && !spec.dots) svg.append("path").attr("class", `line ${colourOf(series)}${dashOf(series)}`).attr("d", "M1,7H25");
    if (series.role === "points" || series.role === "both" || spec.dots) {
      svg.append("path").attr("class", `dots ${colourOf(series)} ${series.mark || ""}`)
        .attr("d", `M13,7${series.mark === "published" || series.mark === "chosen" ? star(6.5) : shapeOf(series)}`);
    }
  }
  return svg.node();
}

function figure(node) {
  const spec = JSON.parse(node.querySelector("script.spec").textContent);
  const canvas = node.querySelector(".canvas");
  const readout = node.querySelector(".readout");
  const title = node.querySelector("figcaption").textContent;
  const hidden = new Set((spec.series || []).map((s, i) => (s.off ? i : -1)).filter((i) => i >= 0));
  const state = { x: spec.x, y: spec.y, hidden };
  let drawn = null;
  let at = -1;
  let width = 0;
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;
  node.append(tip);

  function show(i) {
    at = i;
    const svg = d3.select(canvas).select("svg");
    svg.selectAll(".pointer").remove();
    tip.hidden = i < 0;
    if (i < 0) return;
    const p = drawn.points[i];
    if (drawn.mark) drawn.mark(svg, i);
    else svg.append("circle").attr("class", "pointer").attr("cx", p.px).attr("cy", p.py).attr("r", 7);
    tip.textContent = p.text;
    const box = canvas.querySelector("svg").getBoundingClientRect();
    const outer = node.getBoundingClientRect();
    const scale = box.width / width;
    const x = box.left - outer.left + p.px * scale;
    const y = box.top - outer.top + p.py * scale;
    const left = x + 14 + tip.offsetWidth > outer.width ? Math.max(4, x - 14 - tip.offsetWidth) : x + 14;
    tip.style.left = `${Math.min(left, Math.max(4, outer.width - tip.offsetWidth - 4))}px`;
    tip.style.top = `${Math.max(2, Math.min(y - tip.offsetHeight / 2, outer.height - tip.offsetHeight - 2))}px`;
  }
  function nearest(event) {
    const box = canvas.querySelector("svg").getBoundingClientRect();
    const mx = (event.clientX - box.left) * width / box.width;
    const my = (event.clientY - box.top) * width / box.width;
    if (drawn.hit) return drawn.hit(mx, my);
    const found = drawn.tree.find(mx, my, drawn.reach || 60);
    return found === undefined ? -1 : found;
  }
  // Left and right along a series, up and down to the next one.
  function step(key) {
    const points = drawn.points;
    if (!points.length) return;
    if (at < 0) return void show(0);
    const s = points[at].s;
    const order = points.map((p, i) => i).filter((i) => points[i].s === s).sort((a, b) => points[a].px - points[b].px || a - b);
    const here = order.indexOf(at);
    if (key === "ArrowRight") show(order[Math.min(here + 1, order.length - 1)]);
    else if (key === "ArrowLeft") show(order[Math.max(here - 1, 0)]);
    else {
      const all = Array.from(new Set(points.map((p) => p.s)));
      const next = all[(all.indexOf(s) + (key === "ArrowDown" ? 1 : all.length - 1)) % all.length];
      const candidates = points.map((p, i) => i).filter((i) => points[i].s === next);
      show(candidates.reduce((a, b) => (Math.abs(points[a].px - points[at].px) <= Math.abs(points[b].px - points[at].px) ? a : b)));
    }
  }

  function draw(forced) {
    width = forced || Math.max(280, Math.round(canvas.clientWidth || width || 680));
    canvas.replaceChildren();
    const svg = d3.select(canvas).append("svg").attr("role", "img").attr("tabindex", 0)
      .attr("aria-label", `${title}. Arrow keys step through its points.`);
    drawn = KINDS[spec.kind](svg, width, spec, state);
    svg.attr("viewBox", `0 0 ${width} ${drawn.height}`);
    if (!drawn.hit) {
      drawn.tree = d3.quadtree().x((i) => drawn.points[i].px).y((i) => drawn.points[i].py).addAll(d3.range(drawn.points.length));
    }
    at = -1;
    tip.hidden = true;
    svg.on("pointermove", () => { const i = nearest(d3.event); if (i !== at) show(i); });
    svg.on("pointerleave", () => { if (document.activeElement !== svg.node()) show(-1); });
    svg.on("pointerdown", () => show(nearest(d3.event)));
    // A point of a study leads to the page of its run, if there is one.
    const open = (i) => { if (i >= 0 && drawn.points[i].href) window.location.href = drawn.points[i].href; };
    svg.on("dblclick", () => open(nearest(d3.event)));
    svg.on("blur", () => show(-1));
    svg.on("keydown", () => {
      const key = d3.event.key;
      if (key === "Escape") show(-1);
      else if (key === "Enter") open(at);
      else if (["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"].includes(key)) {
        d3.event.preventDefault();
        step(key);
        if (at >= 0) readout.textContent = drawn.points[at].text.replace(/\n/g, ", ");
      }
    });
  }

  const choose = node.querySelector(".choose");
  for (const which of ["x", "y"]) {
    const axes = (spec.choose || {})[which];
    if (!axes || axes.length < 2) continue;
    const label = document.createElement("label");
    const select = document.createElement("select");
    axes.forEach((a, i) => select.add(new Option(a.title, i, a.column === spec[which].column, a.column === spec[which].column)));
    select.addEventListener("change", () => { state[which] = axes[select.value]; draw(); });
    label.append((spec.choose.names || { x: "across", y: "up" })[which], select);
    choose.append(label);
  }
  const legend = node.querySelector(".legend");
  if (spec.series && spec.legend !== false) {
    spec.series.forEach((s, i) => {
      const button = document.createElement("button");
      button.type = "button";
      button.setAttribute("aria-pressed", !hidden.has(i));
      button.append(swatch(s, spec), s.name);
      button.addEventListener("click", () => {
        if (hidden.has(i)) hidden.delete(i); else hidden.add(i);
        button.setAttribute("aria-pressed", !hidden.has(i));
        draw();
      });
      legend.append(button);
    });
  }
  draw();
  let known = canvas.clientWidth;
  new ResizeObserver(() => {
    const now = canvas.clientWidth;
    if (now && Math.abs(now - known) > 2 && !window.matchMedia("print").matches) { known = now; draw(); }
  }).observe(canvas);
  return { small: node.classList.contains("small"), redraw: draw };
}
