// Figures over two axes: lines, steps, bands, points.
KINDS.xy = function (svg, width, spec, state) {
  const x = state.x;
  const y = state.y;
  const shown = spec.series.map((s, i) => ({ s, i, c: columnsOf(s) })).filter((e) => !state.hidden.has(e.i));
  const columns = (e) => ({ xs: e.c[x.column || "x"] || [], ys: e.c[y.column || "y"] || [] });
  let xs = [];
  let ys = [];
  let strip = false;
  // Axes are of all series, so that they stay where they are when one is hidden.
  for (const s of spec.series) {
    const e = columns({ c: columnsOf(s) });
    if (s.off && state.hidden.has(spec.series.indexOf(s))) continue;
    xs = xs.concat(e.xs);
    ys = ys.concat(e.ys, s.data && s.data.low ? s.data.low.concat(s.data.high) : []);
    strip = strip || (s.strip && e.ys.some((v, k) => v === null && e.xs[k] !== null)) || (s.strip && e.xs.length && !e.ys.length);
  }
  if (y.scale === "log") ys = ys.filter((v) => v > 0);
  if (x.scale === "log") xs = xs.filter((v) => v > 0);
  const below = strip ? 36 : 0;
  const height = Math.round(Math.min(340, Math.max(210, width * 0.42))) + below;
  const dotted = spec.series.some((s) => s.role === "points" || s.role === "both");
  const a = axes(svg, width, height, x, y, xs, ys, { below, inset: dotted && x.scale !== "category" ? 12 : 0 });
  if (strip) {
    svg.insert("rect", ":first-child").attr("class", "strip").attr("x", a.left).attr("y", a.bottom - 31).attr("width", a.right - a.left).attr("height", 31);
    svg.append("text").attr("x", a.left + 5).attr("y", a.bottom - 20).text("no value");
  }
  const points = [];
  // Points on the few values of a parameter lie over each other: spread them a little, the same way each time.
  const spread = spec.effect ? Math.min(9, 0.25 * (a.right - a.left) / Math.max(2, new Set(xs).size)) : 0;
  if (spec.front && x.column === spec.front.x && y.column === spec.front.y) {
    const front = [];
    for (const { s, c } of shown) {
      if (s.mark === spec.front.series || s.mark === spec.front.with) c[x.column].forEach((v, k) => front.push([v, c[y.column][k]]));
    }
    front.sort((p, q) => p[0] - q[0]);
    svg.append("path").attr("class", "line y0").attr("d", d3.line().defined((p) => p[0] !== null && p[1] !== null).x((p) => a.sx(p[0])).y((p) => a.sy(p[1]))
      .curve(spec.front.less_x ? d3.curveStepAfter : d3.curveStepBefore)(front));
  }
  for (const { s, i, c } of shown) {
    const { xs: sx, ys: sy } = columns({ c });
    const here = [];
    for (let k = 0; k < sx.length; k++) {
      let value = sy[k];
      if (value === undefined) value = null;
      const lost = value === null || (y.scale === "log" && value <= 0);
      const px = sx[k] === null || (x.scale === "log" && sx[k] <= 0) ? undefined : a.sx(sx[k]);
      if (px === undefined || (lost && !s.strip)) { here.push(null); continue; }
      const dx = spread * (((k * 0.618034) % 1) * 2 - 1) * (s.mark === "chosen" ? 0 : 1);
      here.push([px + dx, lost ? a.bottom - 8 : a.sy(value), k]);
    }
    const known = here.filter(Boolean);
    if (c.low) {
      const area = d3.area().defined((k) => here[k] && c.low[k] !== null).x((k) => here[k][0]).y0((k) => a.sy(c.low[k])).y1((k) => a.sy(c.high[k]));
      svg.append("path").attr("class", `band ${colourOf(s)}`).attr("d", area(d3.range(sx.length)));
    }
    if (s.role !== "points") {
      const line = d3.line().defined((p) => p !== null).x((p) => p[0]).y((p) => p[1]);
      if (s.role === "step") {
        line.curve(d3Step);
        if (known.length) known.unshift([known[0][0], a.sy(Math.max(0, a.sy.domain()[0])), -1]);
      }
      svg.append("path").attr("class", `line ${colourOf(s)}${dashOf(s)}`).attr("d", line(s.role === "step" ? known : here))
        .style("stroke-width", s.role === "both" ? `${1.6 + 1.1 * Math.min(4, spec.series.length - 1 - i)}px` : null);  // equal lines show as edges
    }
    if (s.role === "points" || s.role === "both") {
      const faint = s.mark === "dominated" || s.mark === "infeasible" || s.mark === "pending" ? " faint" : "";
      svg.append("path").attr("class", `dots ${colourOf(s)} ${s.mark || ""}${faint}`).attr("d", marksPath(known, shapeOf(s)));
    }
    for (const [px, py, k] of known) {
      if (k < 0) continue;
      let text = s.source ? describe(s, k)
        : `${s.name}\n${x.title} ${shownWithUnit(sx[k], x.unit)}\n${y.title} ${shownWithUnit(sy[k], y.unit)}`;
      if (s.source) text = `${s.mark}\n${text}`;
      if (c.low && c.low[k] !== null) text += `\n${shownWithUnit(c.low[k], y.unit)} to ${shownWithUnit(c.high[k], y.unit)}`;
      if (c.label) text += `\n${c.label[k]}`;
      const href = c.page && c.page[k] ? c.page[k] : "";
      if (href) text += "\ndouble click, or Enter: its page";
      points.push({ px, py, text, s: i, href });
    }
    if (s.mark === "chosen" && known.length) {
      const [px, py] = known[0];
      const end = px > (a.left + a.right) / 2;
      svg.append("text").attr("class", "halo").attr("x", px + (end ? -15 : 15)).attr("y", py + 4).attr("text-anchor", end ? "end" : "start").text("chosen");
    }
  }
  if (spec.effect) medians(svg, shown.map((e) => columns(e)), a, x, y);
  if (spec.line !== undefined) svg.append("path").attr("class", "reference").attr("d", `M${a.left},${a.sy(spec.line)}H${a.right}`);
  return { height: a.total, points };
};

// The curve of a cumulative distribution: up at each value.
function d3Step(context) {
  let before = null;
  return {
    areaStart() {}, areaEnd() {}, lineStart() { before = null; }, lineEnd() {},
    point(x, y) {
      if (before) { context.lineTo(x, before[1]); context.lineTo(x, y); } else context.moveTo(x, y);
      before = [x, y];
    },
  };
}

// Medians of y over each value of x, as short bars.
function medians(svg, all, a, x, y) {
  const groups = new Map();
  for (const { xs, ys } of all) {
    xs.forEach((v, k) => {
      if (v === null || typeof ys[k] !== "number" || (y.scale === "log" && ys[k] <= 0)) return;
      if (!groups.has(v)) groups.set(v, []);
      groups.get(v).push(ys[k]);
    });
  }
  if (groups.size > 30) return;
  let path = "";
  for (const [v, values] of groups) path += `M${a.sx(v) - 12},${a.sy(d3.median(values))}h24`;
  svg.append("path").attr("d", path).attr("class", "reference").attr("style", null).style("stroke-dasharray", "none").style("stroke-width", "2.4px");
}
