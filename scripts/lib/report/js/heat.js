// Rows and columns of boxes, as dark as they are full; or marked by class; or, with `labels`, of any number, as dark as it
// is large between the two of `range`.
KINDS.heat = function (svg, width, spec) {
  const small = width < 560;
  const names = Math.min(d3.max(spec.rows, (r) => textWidth(r)), (small ? 0.42 : 0.3) * width);
  const left = names + 12;
  const each = Math.min(84, (width - left - 6) / spec.columns.length);
  const pitch = spec.classes ? 17 : 25;
  const top = 32;
  const bottom = top + spec.rows.length * pitch;
  const classes = spec.classes ? Array.from(new Set(spec.classes)) : [];
  const shade = (v) => `color-mix(in srgb, var(--heat1) ${Math.round(100 * Math.min(1, v))}%, var(--heat0))`;
  svg.append("text").attr("x", left).attr("y", 11).text(spec.column_title);
  const axis = svg.append("g").attr("class", "axis");
  const every = Math.ceil(16 / each);
  spec.columns.forEach((c, j) => {
    if (j % every === 0) axis.append("text").attr("x", left + (j + 0.5) * each).attr("y", top - 7).attr("text-anchor", "middle").text(c);
  });
  const points = [];
  spec.rows.forEach((row, i) => {
    const y = top + i * pitch;
    svg.append("text").attr("x", left - 8).attr("y", y + pitch / 2 + 4).attr("text-anchor", "end").text(fitted(row, names + 6));
    spec.columns.forEach((column, j) => {
      const v = spec.cells[i][j];
      if (v === null) return;
      const box = svg.append("rect").attr("x", left + j * each + 0.5).attr("y", y + 0.5).attr("width", each - 1).attr("height", pitch - 1).attr("rx", 2);
      if (spec.classes) {
        const k = classes.indexOf(spec.classes[i]);
        box.attr("class", `bar y${k}`);
      } else {
        box.style("fill", shade(v));
        const label = spec.labels ? spec.labels[i][j] : v > 0 ? (v < 0.005 ? "<1" : Math.round(100 * v)) : "";
        if (each >= 30 && textWidth(label) < each) {
          const t = svg.append("text").attr("x", left + (j + 0.5) * each).attr("y", y + pitch / 2 + 4).attr("text-anchor", "middle").text(label);
          if (v > 0.5) t.style("fill", "var(--on-heat)");
        }
      }
      points.push({ px: left + (j + 0.5) * each, py: y + pitch / 2, s: i, text: `${row}, ${spec.column_title} ${column}` + (spec.classes || spec.labels ? "" : ` (${shownNumber(Math.round(1000 * v) / 10)} %)`) + `\n${spec.texts[i][j]}` });
    });
  });
  let height = bottom + 8;
  if (spec.classes) {
    let x = left;
    classes.forEach((c, k) => {
      svg.append("rect").attr("class", `bar y${k}`).attr("x", x).attr("y", bottom + 8).attr("width", 14).attr("height", 12);
      svg.append("text").attr("x", x + 19).attr("y", bottom + 18).text(c);
      x += 34 + textWidth(c);
    });
    height = bottom + 28;
  } else {
    const title = spec.labels ? `${spec.legend_title}: ${shownNumber(spec.range[0])}` : `${spec.legend_title}, %`;
    const begin = textWidth(title) + 14;
    svg.append("text").attr("x", 4).attr("y", bottom + 24).text(title);
    [0, 0.25, 0.5, 0.75, 1].forEach((v, k) => {
      const x = begin + k * 27;
      svg.append("rect").attr("x", x).attr("y", bottom + 11).attr("width", 26).attr("height", 18).style("fill", shade(v));
      const t = svg.append("text").attr("x", x + 13).attr("y", bottom + 24).attr("text-anchor", "middle").text(spec.labels ? "" : 100 * v);
      if (v > 0.5) t.style("fill", "var(--on-heat)");
    });
    if (spec.labels) svg.append("text").attr("x", begin + 5 * 27 + 6).attr("y", bottom + 24).text(shownNumber(spec.range[1]));
    height = bottom + 36;
  }
  const hit = (mx, my) => points.findIndex((p) => Math.abs(p.px - mx) <= each / 2 && Math.abs(p.py - my) <= pitch / 2);
  const mark = (s, i) => s.append("rect").attr("class", "pointer").attr("x", points[i].px - each / 2).attr("y", points[i].py - pitch / 2).attr("width", each).attr("height", pitch);
  return { height, points, hit, mark };
};
