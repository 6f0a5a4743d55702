// Parallel coordinates: an axis for each parameter and value, a line for each point.
KINDS.parallel = function (svg, width, spec, state) {
  const upright = width < 620;  // a narrow box: axes below each other
  const n = spec.axes.length;
  const height = upright ? n * 62 + 20 : (width - 112) / (n - 1) < 118 ? 330 : 312;
  const at = upright ? (k) => 34 + k * 62 : (k) => 56 + k * (width - 112) / (n - 1);
  const range = upright ? [16, width - 16] : [height === 330 ? 286 : 300, 34];
  const scales = spec.axes.map((axis) => {
    const values = [].concat(...spec.series.map((s) => columnsOf(s)[axis.column] || [])).filter((v) => v !== null && (axis.scale !== "log" || v > 0));
    const numbers = values.filter((v) => typeof v === "number");
    return scaleFor(axis, numbers, range);
  });
  const place = (k, v) => {
    if (v === null || v === undefined || (spec.axes[k].scale === "log" && v <= 0)) return null;
    const p = scales[k](v);
    return p === undefined ? null : upright ? [p, at(k)] : [at(k), p];
  };
  const points = [];
  const lines = [];
  const total = d3.sum(spec.series, (s) => (columnsOf(s).n || []).length);
  spec.series.forEach((s, i) => {
    if (state.hidden.has(i)) return;
    const c = columnsOf(s);
    let path = "";
    c.n.forEach((number, row) => {
      let line = "";
      spec.axes.forEach((axis, k) => {
        const p = place(k, (c[axis.column] || [])[row]);
        if (!p) return;
        line += `${line ? "L" : "M"}${p[0].toFixed(1)},${p[1].toFixed(1)}`;
        points.push({ px: p[0], py: p[1], s: i, row: lines.length, text: null });
      });
      lines.push({ line, s, row });
      path += line;
    });
    const strong = s.mark === "chosen" ? 3.2 : s.mark === "pareto" ? 1.8 : 1;
    const clear = s.mark === "chosen" ? 1 : s.mark === "pareto" ? 0.85 : Math.max(0.08, Math.min(0.5, 60 / Math.max(1, total)));
    svg.append("path").attr("class", `line ${colourOf(s)}${dashOf(s)}`).attr("d", path).style("stroke-width", strong).style("stroke-opacity", clear);
  });
  // Texts are made when they are asked for: there may be tens of thousands of points.
  for (const p of points) Object.defineProperty(p, "text", { get: () => `${lines[p.row].s.mark}\n${describe(lines[p.row].s, lines[p.row].row)}` });
  const g = svg.append("g").attr("class", "axis");
  spec.axes.forEach((axis, k) => {
    const [a, b] = range;
    g.append("path").attr("d", upright ? `M${a},${at(k)}H${b}` : `M${at(k)},${a}V${b}`);
    const room = upright ? width - 20 : (width - 112) / (n - 1) - 8;
    const title = svg.append("text").attr("class", "halo").text(fitted(titleOf({ ...axis, title: axis.short || axis.title }), Math.max(60, room)));
    if (upright) title.attr("x", 10).attr("y", at(k) - 12);
    else {
      // Over its axis, but within the figure: titles of the first and the last axis are wider than the margins.
      const half = textWidth(title.text()) / 2;
      title.attr("x", Math.max(half + 4, Math.min(width - half - 4, at(k)))).attr("y", k % 2 && room < 110 ? height - 4 : 16).attr("text-anchor", "middle");
    }
    let end = -Infinity;
    for (const [v, text] of ticksOf(scales[k], axis, upright ? 4 : 6)) {
      const p = scales[k](v);
      const t = svg.append("text").attr("class", "halo").text(fitted(text, Math.max(48, room)));
      if (upright) {
        const half = textWidth(text) / 2;
        if (p - half < end + 4) { t.remove(); continue; }
        end = p + half;
        t.attr("x", Math.max(half, Math.min(width - half, p))).attr("y", at(k) + 15).attr("text-anchor", "middle");
      } else if (Math.abs(p - end) < 12) t.remove();
      else {
        end = p;
        t.attr("x", k === n - 1 ? at(k) - 5 : at(k) + 5).attr("y", p + 4).attr("text-anchor", k === n - 1 ? "end" : "start");
      }
    }
  });
  const mark = (s, i) => {
    const p = points[i];
    s.append("path").attr("class", "pointer").attr("d", lines[p.row].line).style("pointer-events", "none");
  };
  return { height, points, mark, reach: width };
};
