// Marks as paths, so that thousands of points are one element; numbers as text.
const SHAPES = [
  (r) => `m${-r},0a${r},${r} 0 1,0 ${2 * r},0a${r},${r} 0 1,0 ${-2 * r},0z`,                            // circle
  (r) => `m${-r},${-r}h${2 * r}v${2 * r}h${-2 * r}z`,                                                  // square
  (r) => `m0,${-1.25 * r}l${1.2 * r},${2.1 * r}h${-2.4 * r}z`,                                         // triangle
  (r) => `m0,${-1.4 * r}l${1.15 * r},${1.4 * r}l${-1.15 * r},${1.4 * r}l${-1.15 * r},${-1.4 * r}z`,    // diamond
  (r) => { const a = 0.45 * r; const b = 0.8 * r;                                                      // plus
    return `m${-a},${-a - b}h${2 * a}v${b}h${b}v${2 * a}h${-b}v${b}h${-2 * a}v${-b}h${-b}v${-2 * a}h${b}z`; },
  (r) => `m0,${1.25 * r}l${1.2 * r},${-2.1 * r}h${-2.4 * r}z`,                                         // triangle down
];
function star(r) {
  let path = "";
  let before = [0, 0];
  for (let i = 0; i < 10; i++) {
    const radius = i % 2 ? 0.45 * r : r;
    const at = [radius * Math.sin(i * Math.PI / 5), -radius * Math.cos(i * Math.PI / 5)];
    path += `${i ? "l" : "m"}${(at[0] - before[0]).toFixed(2)},${(at[1] - before[1]).toFixed(2)}`;
    before = at;
  }
  return path + "z";
}
function shapeOf(series) {
  if (series.mark === "published") return star(8);
  if (series.mark === "chosen") return star(11);
  return SHAPES[series.style % SHAPES.length](series.role === "points" ? 3.6 : 3.2);
}
function marksPath(points, shape) {
  let path = "";
  for (const p of points) path += `M${p[0].toFixed(1)},${p[1].toFixed(1)}${shape}`;
  return path;
}
const colourOf = (series) => "y" + (series.style % 6);
const dashOf = (series) => { const d = Math.floor(series.style / 6) % 4; return d ? " dash" + d : ""; };

// As in the tables: whole numbers in full, others with four digits.
function shownNumber(v) {
  if (v === null || v === undefined) return "\u2013";
  if (typeof v !== "number") return String(v);
  const size = Math.abs(v);
  let text;
  if (Number.isInteger(v) && size < 1e15) text = size.toString().replace(/\B(?=(\d{3})+$)/g, "\u202f");
  else if (size < 1e-4 || size >= 1e15) text = size.toExponential(3).replace(/\.?0+e/, "e").replace("e+", "e");
  else if (size >= 1e4) text = Math.round(size).toString().replace(/\B(?=(\d{3})+$)/g, "\u202f");
  else text = String(Number(size.toPrecision(4)));
  return v < 0 ? "\u2212" + text : text;
}
function shownBytes(v) {
  const size = Math.abs(v);
  for (const [n, unit] of [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"]]) {
    if (size >= n) return shownNumber(v / n) + "\u00a0" + unit;
  }
  return shownNumber(v) + "\u00a0B";
}
function shownWithUnit(v, unit) {
  if (typeof v !== "number") return shownNumber(v);
  if (unit === "B" || unit === "bytes") return shownBytes(v);
  if ((unit === "s" || unit === "bps") && v !== 0) {
    const steps = unit === "s" ? [[1, "s"], [1e-3, "ms"], [1e-6, "us"], [1e-9, "ns"], [1e-12, "ps"]]
      : [[1e12, "Tbps"], [1e9, "Gbps"], [1e6, "Mbps"], [1e3, "kbps"], [1, "bps"]];
    const [size, name] = steps.find(([n]) => Math.abs(v) >= 0.999999 * n) || steps[4];
    return shownNumber(Number((v / size).toPrecision(6))) + "\u00a0" + name;
  }
  return shownNumber(v) + (unit ? "\u00a0" + unit : "");
}
const si = d3.format(".3~s");
function tickText(v, unit) {
  if (typeof v !== "number") return String(v);
  if (unit === "B" || unit === "bytes") return v === 0 ? "0" : shownBytes(v);
  if (v === 0) return "0";
  if (unit === "s" || unit === "bps") return shownWithUnit(v, unit);
  const size = Math.abs(v);
  const text = size >= 1e5 ? si(size).replace("G", "\u00d710\u2079") : size < 1e-3 ? size.toExponential(0) : size >= 1e4 ? shownNumber(Math.round(size)) : String(Number(size.toPrecision(6)));
  return v < 0 ? "\u2212" + text : text;
}
const titleOf = (axis) => axis.title + (axis.unit && !["B", "bytes", "s", "bps"].includes(axis.unit) ? `, ${axis.unit}` : "");
