// Axes shared by figures, and figures over two axes: lines, steps, bands, points.
function scaleFor(axis, values, range) {
  if (axis.scale === "category") return d3.scalePoint().domain(axis.values).range(range).padding(0.5);
  let [low, high] = d3.extent(values);
  if (low === undefined) [low, high] = [0, 1];
  if (axis.scale === "log") {
    if (low === high) { low /= 2; high *= 2; }
    return d3.scaleLog().domain([low, high]).range(range);
  }
  if (axis.zero || (low > 0 && low < 0.25 * high)) low = Math.min(0, low);
  if (axis.zero && high < 0) high = 0;
  if (low === high) { const d = Math.abs(low) * 0.1 || 1; low -= low === 0 ? 0 : d; high += d; }
  const scale = d3.scaleLinear().domain([low, high]).range(range);
  return scale.nice(6);
}
function padded(scale, axis, share) {
  if (axis.scale === "category") return scale;
  const [a, b] = scale.domain();
  if (axis.scale === "log") { const f = Math.pow(b / a, share); return scale.domain([a / f, b * f]); }
  return scale;
}
// [value, text] of ticks.
function ticksOf(scale, axis, count) {
  if (axis.scale === "category") return axis.values.map((v) => [v, fitted(v, 150)]);
  if (axis.ticks && axis.ticks.length <= 2 * count) return axis.ticks.map((v, i) => [v, axis.texts ? axis.texts[i] : tickText(v, axis.unit)]);
  let values;
  const bytes = axis.unit === "B" || axis.unit === "bytes";
  const [a, b] = scale.domain();
  if (axis.scale === "log") {
    const base = bytes ? 2 : 10;
    const powers = d3.range(Math.ceil(Math.log(a) / Math.log(base) - 1e-9), Math.floor(Math.log(b) / Math.log(base) + 1e-9) + 1);
    values = powers.map((p) => Math.pow(base, p));
    if (values.length < 3) values = scale.ticks(count).filter((v) => [1, 2, 5].includes(Math.round(v / Math.pow(10, Math.floor(Math.log10(v) + 1e-9)))));
    if (values.length < 2) values = d3.scaleLinear().domain([a, b]).ticks(count);
    const every = Math.ceil(values.length / count);
    values = values.filter((v, i) => i % every === 0);
  } else if (bytes && b - a >= 4096) {
    const raw = (b - a) / count;
    const by = Math.pow(2, Math.ceil(Math.log2(raw)));
    values = d3.range(Math.ceil(a / by) * by, b + by / 2, by).filter((v) => v <= b);
  } else values = scale.ticks(count);
  if (axis.whole) values = values.filter(Number.isInteger);
  return values.map((v) => [v, tickText(v, axis.unit)]);
}
const textWidth = (text) => 6.9 * String(text).length;

// Draws both axes; `room` is what is kept free below and left for the strip of points without a value.
function axes(svg, width, height, x, y, xs, ys, room) {
  const plain = (v) => v.filter((n) => typeof n === "number");
  x = { ...x, whole: plain(xs).every(Number.isInteger) };
  y = { ...y, whole: plain(ys).every(Number.isInteger) };
  const probe = padded(scaleFor(y, plain(ys), [1, 0]), y, 0.03);
  const yTicks = ticksOf(probe, y, Math.max(3, Math.round(height / 55)));
  let left = Math.min(0.4 * width, 26 + d3.max(yTicks, (t) => textWidth(t[1])) || 40) + (room.left || 0);
  const right = width - 14;
  const inset = room.inset || 0;  // points are not cut at the edges
  const across = () => padded(scaleFor(x, plain(xs), [left + inset, right - inset]), x, room.inset ? 0 : 0.02);
  let sx = across();
  let xTicks = ticksOf(sx, x, Math.max(2, Math.round((right - left) / 90)));
  const widest = d3.max(xTicks, (t) => textWidth(t[1])) || 0;
  let each = (right - left) / Math.max(1, xTicks.length);
  const turned = widest > each + 2 && x.scale === "category" || (x.ticks && widest > each + 2);
  if (turned) {  // the first one reaches to the left
    left = Math.max(left, Math.min(0.4 * width, 0.72 * widest - 0.5 * each));
    sx = across();
    each = (right - left) / xTicks.length;
  }
  if (turned && each < 13) { const every = Math.ceil(13 / each); xTicks = xTicks.filter((t, i) => i % every === 0); }
  if (!turned && xTicks.length > 1 && x.scale !== "category") {
    // Logarithmic ticks lie unevenly: leave out what would run into the one before.
    let end = -Infinity;
    xTicks = xTicks.filter((t) => {
      const half = textWidth(t[1]) / 2;
      if (sx(t[0]) - half < end + 6) return false;
      end = sx(t[0]) + half;
      return true;
    });
  }
  const depth = turned ? 0.75 * widest + 14 : 18;
  const top = 10;
  const bottom = top + height;
  const sy = padded(scaleFor(y, plain(ys), [bottom - (room.below || 0), top]), y, 0.03);
  const total = bottom + depth + 24;
  const grid = svg.append("g").attr("class", "gridline");
  for (const [v] of yTicks) grid.append("line").attr("x1", left).attr("x2", right).attr("y1", sy(v)).attr("y2", sy(v));
  const gy = svg.append("g").attr("class", "axis");
  for (const [v, text] of yTicks) gy.append("text").attr("x", left - 6 - (room.left || 0)).attr("y", sy(v)).attr("dy", ".32em").attr("text-anchor", "end").text(text);
  const gx = svg.append("g").attr("class", "axis");
  gx.append("path").attr("d", `M${left},${bottom}H${right}`);
  for (const [v, text] of xTicks) {
    gx.append("line").attr("x1", sx(v)).attr("x2", sx(v)).attr("y1", bottom).attr("y2", bottom + 4);
    const t = gx.append("text").text(text);
    if (turned) t.attr("transform", `translate(${sx(v) + 3},${bottom + 10}) rotate(-45)`).attr("text-anchor", "end");
    else {
      const half = textWidth(text) / 2;
      const anchor = sx(v) + half > width ? "end" : sx(v) - half < 0 ? "start" : "middle";
      t.attr("x", anchor === "end" ? width - 1 : anchor === "start" ? 1 : sx(v)).attr("y", bottom + 17).attr("text-anchor", anchor);
    }
  }
  svg.append("text").attr("x", (left + right) / 2).attr("y", total - 6).attr("text-anchor", "middle").text(fitted(titleOf(x), right - left));
  svg.append("text").attr("transform", `translate(12,${(top + bottom) / 2}) rotate(-90)`).attr("text-anchor", "middle").text(fitted(titleOf(y), height + 20));
  return { sx, sy, left, right, top, bottom, total };
}
function fitted(text, room) {
  const most = Math.floor(room / 6.6);
  return text.length <= most ? text : text.slice(0, Math.max(1, most - 1)) + "\u2026";
}

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
      points.push({ px, py, text, s: i });
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
