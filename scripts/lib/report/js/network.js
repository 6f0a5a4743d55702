// Devices in levels, end points below, and their links: each half of a line is the direction that leaves the nearer device, as
// dark as its value is large.
KINDS.network = function (svg, width, spec, state) {
  const levels = new Set(spec.nodes.map((n) => n.y)).size;
  const top = 26;
  const height = Math.max(120, 150 * (levels - 1));
  const across = (n) => 12 + n.x * (width - 24);
  const down = (n) => top + n.y * height;
  const shade = (v) => `color-mix(in srgb, var(--heat1) ${Math.round(100 * Math.min(1, v))}%, var(--line))`;
  const points = [];
  const column = state.y.column;
  const order = spec.links.map((l, i) => i).sort((a, b) => (spec.links[a].values[column] || 0) - (spec.links[b].values[column] || 0));
  for (const i of order) {
    const link = spec.links[i];
    const a = spec.nodes[link.a];
    const b = spec.nodes[link.b];
    const [x, y] = [across(a), down(a)];
    const [mx, my] = [(x + across(b)) / 2, (y + down(b)) / 2];
    const v = link.values[column] || 0;
    svg.append("path").attr("class", "link").attr("d", `M${x},${y}L${mx},${my}`).style("stroke", shade(v)).style("stroke-width", link.width)
      .style("stroke-dasharray", link.bad ? "5 3" : null).style("fill", "none");
    for (const part of [0.3, 0.7, 0.9]) {
      points.push({ px: x + part * (mx - x), py: y + part * (my - y), s: link.a, text: `${link.text}\n${state.y.title}: ${shownNumber(Math.round(1000 * v) / 10)} %` });
    }
  }
  const room = (n) => (width - 24) / spec.nodes.filter((o) => o.y === n.y).length;
  spec.nodes.forEach((n, i) => {
    const [x, y] = [across(n), down(n)];
    if (n.end) svg.append("circle").attr("class", "node").attr("cx", x).attr("cy", y).attr("r", 5);
    else svg.append("rect").attr("class", "node").attr("x", x - 7).attr("y", y - 7).attr("width", 14).attr("height", 14).attr("rx", 2);
    if (textWidth(n.name) <= room(n)) {
      const half = textWidth(n.name) / 2;
      const anchor = x + half > width ? "end" : x - half < 0 ? "start" : "middle";
      svg.append("text").attr("class", "node-name").attr("x", anchor === "end" ? width - 1 : anchor === "start" ? 1 : x).attr("y", n.end ? y + 21 : y - 12).attr("text-anchor", anchor).text(n.name);
    }
    points.push({ px: x, py: y, s: i, text: n.name });
  });
  const bottom = top + height + 40;
  const title = `${spec.legend_title}, %`;
  const begin = textWidth(title) + 14;
  svg.append("text").attr("x", 4).attr("y", bottom + 13).text(title);
  [0, 0.25, 0.5, 0.75, 1].forEach((v, k) => {
    const x = begin + k * 34;
    svg.append("rect").attr("x", x).attr("y", bottom).attr("width", 33).attr("height", 18).style("fill", shade(v));
    const t = svg.append("text").attr("x", x + 16).attr("y", bottom + 13).attr("text-anchor", "middle").text(100 * v);
    if (v > 0.5) t.style("fill", "var(--on-heat)");
  });
  return { height: bottom + 26, points };
};
