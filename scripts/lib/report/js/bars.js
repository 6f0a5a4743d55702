// Horizontal bars or dots, a row each; stacked or not. `begins`: where each stack begins, if not at zero.
KINDS.bars = function (svg, width, spec, state) {
  const rows = spec.rows;
  const shown = spec.series.map((s, i) => ({ s, i })).filter((e) => !state.hidden.has(e.i));
  const pitch = spec.dots ? 24 : 30;
  const names = d3.max(rows, (r) => textWidth(r)) || 0;
  // Long names go above their bars where there is little room.
  const above = names > 0.42 * width;
  const left = above ? 10 : names + 14;
  const right = width - 18;
  const step = pitch + (above ? 16 : 0);
  const top = spec.limits ? 24 : 8;
  const bottom = top + rows.length * step;
  const totals = rows.map((r, k) => (spec.begins ? spec.begins[k] : 0) + d3.sum(spec.series, (s) => s.values[k] || 0));
  let values = spec.stacked ? totals : [].concat(...spec.series.map((s) => s.values)).filter((v) => v !== null);
  values = values.concat(spec.limits || [], spec.line === undefined ? [] : [spec.line]);
  const x = { ...spec.x, zero: spec.x.scale !== "log" && !spec.dots };
  const sx = padded(scaleFor(x, values, [left, right]), x, 0.06);
  let end = -Infinity;
  const ticks = ticksOf(sx, x, Math.max(2, Math.round((right - left) / 90))).filter((t) => {
    const half = textWidth(t[1]) / 2;
    if (sx(t[0]) - half < end + 6) return false;
    end = sx(t[0]) + half;
    return true;
  });
  const grid = svg.append("g").attr("class", "gridline");
  const axis = svg.append("g").attr("class", "axis");
  for (const [v, text] of ticks) {
    grid.append("line").attr("x1", sx(v)).attr("x2", sx(v)).attr("y1", top).attr("y2", bottom);
    const half = textWidth(text) / 2;
    const anchor = sx(v) + half > width ? "end" : sx(v) - half < 0 ? "start" : "middle";
    axis.append("text").attr("x", anchor === "end" ? width - 1 : anchor === "start" ? 1 : sx(v)).attr("y", bottom + 16).attr("text-anchor", anchor).text(text);
  }
  svg.append("text").attr("x", (left + right) / 2).attr("y", bottom + 36).attr("text-anchor", "middle").text(fitted(titleOf(spec.x), width));
  if (spec.line !== undefined) svg.append("path").attr("class", "reference").attr("d", `M${sx(spec.line)},${top}V${bottom}`);
  const points = [];
  const boxes = [];
  rows.forEach((name, k) => {
    const y0 = top + k * step;
    const middle = y0 + (above ? 16 : 0) + pitch / 2;
    const label = svg.append("text").text(above ? fitted(name.trim(), width - 12) : name.trim());
    if (above) label.attr("x", left).attr("y", y0 + 13);
    else label.attr("x", left - 8).attr("y", middle + 4).attr("text-anchor", "end");
    let from = spec.begins ? spec.begins[k] : 0;
    const single = spec.stacked ? pitch - 8 : (pitch - 8) / Math.max(1, shown.length);
    shown.forEach(({ s, i }, j) => {
      const v = s.values[k];
      if (v === null || v === undefined) return;
      const text = `${name.trim()}\n${s.name} ${shownWithUnit(v, spec.x.unit)}` + (s.label && s.label[k] ? `\n${s.label[k]}` : "");
      if (spec.dots) {
        svg.append("path").attr("class", `dots ${colourOf(s)}`).attr("d", marksPath([[sx(v), middle]], SHAPES[s.style % SHAPES.length](4.6)));
        points.push({ px: sx(v), py: middle, text, s: i });
        boxes.push([left, y0, right, y0 + step]);
        return;
      }
      if (v === 0) return;
      const x0 = sx(spec.stacked ? from : Math.max(0, sx.domain()[0]));
      const x1 = sx(spec.stacked ? from + v : v);
      const y1 = spec.stacked ? middle - (pitch - 8) / 2 : middle - (pitch - 8) / 2 + j * single;
      svg.append("rect").attr("class", `bar ${colourOf(s)}`).attr("x", x0).attr("y", y1).attr("width", Math.max(0.5, x1 - x0)).attr("height", single)
        .attr("fill-opacity", s.style >= 6 ? 0.55 : 1);
      if (spec.stacked && x1 - x0 > textWidth(s.name) + 6) {
        svg.append("text").attr("x", (x0 + x1) / 2).attr("y", middle + 4).attr("text-anchor", "middle").text(s.name)
          .style("fill", s.style >= 6 ? "var(--text)" : "var(--box)");
      }
      from += v;
      points.push({ px: (x0 + x1) / 2, py: y1 + single / 2, text, s: i });
      boxes.push([x0, y1, x1, y1 + single]);
    });
    if (spec.limits) {
      const l = sx(spec.limits[k]);
      svg.append("path").attr("class", "reference").attr("d", `M${l},${middle - pitch / 2 + 1}V${middle + pitch / 2 - 1}`).style("stroke-dasharray", "none").style("stroke-width", "2px");
      if (k === 0) svg.append("text").attr("x", Math.max(textWidth(spec.limit_name), Math.min(width - 2, l + textWidth(spec.limit_name) / 2))).attr("y", 14).attr("text-anchor", "end").text(spec.limit_name);
    }
  });
  const hit = (mx, my) => {
    let best = -1;
    let least = 40;
    boxes.forEach((b, i) => {
      const d = Math.max(b[0] - mx, mx - b[2], 0) + Math.max(b[1] - my, my - b[3], 0);
      const extra = spec.dots ? Math.abs(points[i].px - mx) * 0.01 : 0;
      if (d + extra < least) { least = d + extra; best = i; }
    });
    return best;
  };
  return { height: bottom + 44, points, hit };
};
