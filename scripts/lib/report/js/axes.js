// Scales, ticks and axes of figures.
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
