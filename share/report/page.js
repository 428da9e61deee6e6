// SPDX-License-Identifier: Apache-2.0
// The page of `linchpin report`. All data is in the element #data: what of it there is decides which tabs there are. No libraries, no requests.
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const state = { result: 0, metric: 0, tab: "summary", filter: "", source: null, routine: null, zoom: 0 };
const $ = id => document.getElementById(id);
const R = () => data.results[state.result];
const M = () => R().metrics.length;

// --- small things -----------------------------------------------------------------------------------------------------------------------------------
function el(name, attrs, ...children) {
  const e = document.createElement(name);
  for (const [k, v] of Object.entries(attrs || {}))
    if (k.startsWith("on")) e.addEventListener(k.slice(2), v);
    else if (k === "class") e.className = v;
    else if (k === "style") e.style.cssText = v;
    else if (v !== false && v != null) e.setAttribute(k, v === true ? "" : v);
  for (const c of children.flat()) if (c != null) e.append(c);
  return e;
}
const whole = new Intl.NumberFormat("en-US");
const fmt = n => whole.format(n);
function short(n) {
  const a = Math.abs(n);
  for (const [d, s] of [[1e12, " T"], [1e9, " G"], [1e6, " M"], [1e3, " k"]]) if (a >= d) return (n / d).toFixed(a / d >= 100 ? 0 : a / d >= 10 ? 1 : 2) + s;
  return fmt(n);
}
const value = (n, unit) => unit === "bytes" ? short(n) + "B" : unit === "ns" ? (n >= 1e9 ? (n / 1e9).toFixed(2) + " s" : n >= 1e6 ? (n / 1e6).toFixed(2) + " ms" : (n / 1e3).toFixed(1) + " µs") : short(n);
const percent = (n, of) => of ? (n * 100 / of).toFixed(n && n * 1000 / of < 1 ? 2 : 1) + "%" : "";
const hex = n => "0x" + Number(n).toString(16);
const base = path => path ? path.slice(path.lastIndexOf("/") + 1) : "";
const fileName = i => i >= 0 ? R().files[i] || "" : "";
const imageName = i => i >= 0 ? R().images[i] || "" : "";
const routineName = i => i >= 0 && R().routines[i] ? R().routines[i][0] || "?" : "?";
const total = m => R().totals[m];
const metric = () => R().metrics[state.metric];
function hue(text) { let h = 7; for (let i = 0; i < text.length; i++) h = (h * 31 + text.charCodeAt(i)) >>> 0; return h; }
const dark = () => document.documentElement.dataset.theme ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const card = (title, ...c) => el("section", { class: "card" }, title ? el("h2", {}, title) : null, ...c);
function placeLink(file, line) {
  const path = fileName(file);
  if (!path) return "";
  const text = base(path) + (line ? ":" + line : "");
  return data.sources[path] != null ? el("a", { title: path, onclick: e => { e.stopPropagation(); state.source = path; state.line = line; show("source"); } }, text) : el("span", { title: path }, text);
}

// --- tables: sorted by a click on a head, filtered by the search, long ones in portions ---------------------------------------------------------------
// column: {name, key: row => value, num, cell: row => node or text, of: total for the bar, wide, mono}
function dataTable(columns, rows, options = {}) {
  let sort = options.sort ?? columns.findIndex(c => c.num), down = true, limit = 200;
  const body = el("tbody"), head = el("tr"), more = el("p", { class: "note" });
  const texts = new Map();
  const textOf = r => { let t = texts.get(r); if (t == null) { t = columns.filter(c => !c.num).map(c => c.key(r)).join(" ").toLowerCase(); texts.set(r, t); } return t; };
  function fill() {
    const words = state.filter.toLowerCase().split(/\s+/).filter(Boolean);
    let list = words.length ? rows.filter(r => words.every(w => textOf(r).includes(w))) : rows.slice();
    const c = columns[sort];
    if (c) list.sort((a, b) => { const x = c.key(a), y = c.key(b); return (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1); });
    head.replaceChildren(...columns.map((k, i) => el("th", { class: k.num ? "num" : "", scope: "col", tabindex: 0, "aria-sort": i === sort ? (down ? "descending" : "ascending") : false,
      onclick: () => { down = i === sort ? !down : !!k.num; sort = i; fill(); }, onkeydown: e => { if (e.key === "Enter") e.target.click(); } }, k.name)));
    body.replaceChildren(...list.slice(0, limit).map(r => {
      const tr = el("tr", options.onrow ? { tabindex: 0, onclick: () => options.onrow(r), style: "cursor:pointer" } : {}, columns.map(k => {
        const v = k.cell ? k.cell(r) : k.num ? fmt(k.key(r)) : k.key(r);
        const td = el("td", { class: [k.num ? "num" : "", k.of ? "bar" : "", k.wide ? "wide" : "", k.mono ? "mono" : ""].join(" "), title: k.wide ? k.key(r) : false }, v);
        if (k.of) { td.style.setProperty("--w", Math.min(100, k.key(r) * 100 / k.of) + "%"); td.append(el("span", { class: "pct" }, percent(k.key(r), k.of))); }
        return td;
      }));
      return tr;
    }));
    more.replaceChildren(list.length > limit ? el("span", {}, `${fmt(limit)} of ${fmt(list.length)} rows. `, el("a", { onclick: () => { limit *= 5; fill(); } }, "more")) : `${fmt(list.length)} rows` + (list.length < rows.length ? ` of ${fmt(rows.length)}` : ""),
      options.dropped ? `; ${fmt(options.dropped)} smaller ones are not in this page` : "");
  }
  fill();
  const box = el("div", {}, el("div", { class: "scroll" }, el("table", {}, el("thead", {}, head), body)), more);
  box.refill = fill;
  tables.push(box);
  return box;
}
let tables = [];
const valueColumns = at => R().metrics.map((m, i) => ({ name: m.name, num: true, key: r => r[at + i], of: total(i), cell: r => m.unit === "bytes" || m.unit === "ns" ? value(r[at + i], m.unit) : fmt(r[at + i]) }))
  .sort((a, b) => (b.name === metric().name) - (a.name === metric().name));

// --- summary ----------------------------------------------------------------------------------------------------------------------------------------
const ENDS = { exit: r => `exited with status ${r.status}`, signal: r => `died by signal ${r.status}`, exec: r => `executed ${r.executed || "another program"}`, detach: () => "detached: the program went on",
  dump: () => "so far: the program went on", stop: () => "stopped by -stop_after" };
function summary() {
  const r = R(), out = [];
  out.push(el("div", { class: "cards" }, r.metrics.slice(0, 12).map((m, i) => el("div", { class: "card", title: fmt(r.totals[i]) }, el("b", { class: "big" }, value(r.totals[i], m.unit)), el("span", { class: "what" }, m.what || m.name)))));
  const facts = [["program", r.program], ["command", (r.argv || []).join(" ")], ["tool", r.tool + (r.options ? " " + r.options : "")], ["process", String(r.pid)], ["end", (ENDS[r.end] || (() => r.end))(r)], ["file", r.path]];
  const left = card("Run", el("dl", {}, facts.flatMap(([k, v]) => [el("dt", {}, k), el("dd", {}, v)])), (r.notes || []).map(n => el("p", { class: "note" }, n)));
  const right = [];
  if (r.byimage.length) right.push(card("By image", dataTable([{ name: "image", key: x => imageName(x[0]) || "no image", cell: x => base(imageName(x[0])) || "no image", wide: true }, ...valueColumns(1).slice(0, 2)], r.byimage)));
  out.push(el("div", { class: "two" }, left, el("div", {}, right)));
  if (r.routines.length && r.routines.some(x => x.slice(5).some(Boolean))) out.push(card("Hottest routines", dataTable(routineColumns().slice(0, 6), r.routines.filter(x => x.slice(5).some(Boolean)).slice(0, 15), { onrow: openRoutine })));
  if (r.threads.length > 1) out.push(card("By thread", dataTable([{ name: "thread", key: x => x[0] }, ...valueColumns(1)], r.threads)));
  if (r.findings) out.push(card("", el("a", { onclick: () => show("findings") }, `${fmt(r.allfindings)} findings`)));
  return out;
}

// --- routines and lines -------------------------------------------------------------------------------------------------------------------------------
const routineColumns = () => [{ name: "routine", key: r => r[0], cell: r => r[0] || "?", wide: true, mono: true }, ...valueColumns(5), { name: "image", key: r => base(imageName(r[1])) }, { name: "source", key: r => base(fileName(r[2])) + (r[3] ? ":" + r[3] : ""), cell: r => placeLink(r[2], r[3]) }];
function openRoutine(r) {
  const path = fileName(r[2]);
  if (R().instructions.some(i => R().routines[i[1]] === r && i[4])) { state.routine = R().routines.indexOf(r); show("disassembly"); }
  else if (data.sources[path] != null) { state.source = path; state.line = r[3]; show("source"); }
}
const routines = () => [card("Routines", dataTable(routineColumns(), R().routines.filter(x => x.slice(5).some(Boolean)), { onrow: openRoutine, dropped: R().dropped[0] }))];
const lines = () => [card("Source lines", dataTable([{ name: "line", key: r => base(fileName(r[0])) + ":" + String(r[1]).padStart(6), cell: r => placeLink(r[0], r[1]) },
  { name: "text", key: r => sourceLine(r[0], r[1]), wide: true, mono: true }, ...valueColumns(2)], R().lines, { sort: 2, dropped: R().dropped[1] }))];
const split = new Map();
function sourceLines(path) { if (!split.has(path)) split.set(path, (data.sources[path] ?? "").split("\n")); return split.get(path); }
const sourceLine = (file, line) => (sourceLines(fileName(file))[line - 1] || "").trim();

function heat(share) { return share > 0 ? `background: rgba(var(--hot), ${(0.08 + 0.62 * Math.sqrt(share)).toFixed(3)})` : ""; }
function source() {
  const r = R(), m = state.metric, byFile = new Map();
  for (const l of r.lines) byFile.set(l[0], (byFile.get(l[0]) || 0) + l[2 + m]);
  const files = [...byFile].sort((a, b) => b[1] - a[1]).filter(f => data.sources[fileName(f[0])] != null);
  if (!files.length) return [card("Source", el("p", { class: "soft" }, "None of the source files was found when this page was made."))];
  if (data.sources[state.source] == null || !files.some(f => fileName(f[0]) === state.source)) state.source = fileName(files[0][0]);
  const counts = new Map(); let most = 0, hottest = 0;
  for (const l of r.lines) if (fileName(l[0]) === state.source) { counts.set(l[1], (counts.get(l[1]) || 0) + l[2 + m]); if (counts.get(l[1]) > most) { most = counts.get(l[1]); hottest = l[1]; } }
  const list = el("ul", { class: "list", role: "listbox" }, files.map(([f, n]) => el("li", { "aria-selected": String(fileName(f) === state.source), title: fileName(f), onclick: () => { state.source = fileName(f); state.line = 0; draw(); } },
    el("span", {}, base(fileName(f))), el("span", { class: "pct" }, percent(n, total(m))))));
  const body = el("tbody");
  sourceLines(state.source).forEach((text, i) => {
    const n = counts.get(i + 1);
    body.append(el("tr", { id: "L" + (i + 1), class: state.line === i + 1 ? "lit" : "" }, el("td", { class: "n" }, String(i + 1)), el("td", { class: "v", style: n ? heat(n / most) : "" }, n ? fmt(n) : ""),
      el("td", { class: "v" }, n ? percent(n, total(m)) : ""), el("td", { class: "text" }, text)));
  });
  const at = state.line || hottest;
  later(() => { const row = $("L" + at); if (row && !printing) { const box = row.closest(".scroll"); box.scrollTop = row.offsetTop - box.clientHeight / 3; } });
  return [el("div", { class: "side" }, card("Files", list), card(state.source, el("div", { class: "scroll" }, el("table", { class: "code" }, body))))];
}

function disassembly() {
  const r = R(), m = state.metric, by = new Map();
  for (const i of r.instructions) { if (!by.has(i[1])) by.set(i[1], []); by.get(i[1]).push(i); }
  const sum = list => list.reduce((s, i) => s + i[5 + m], 0);
  const order = [...by].map(([k, l]) => [k, l, sum(l)]).sort((a, b) => b[2] - a[2]);
  if (!by.has(state.routine)) state.routine = order[0][0];
  const list = by.get(state.routine).slice().sort((a, b) => a[0] - b[0]), most = Math.max(...list.map(i => i[5 + m]), 1);
  const words = state.filter.toLowerCase();
  const names = el("ul", { class: "list", role: "listbox" }, order.filter(o => routineName(o[0]).toLowerCase().includes(words)).slice(0, 500).map(([k, , n]) => el("li", { "aria-selected": String(k === state.routine), title: routineName(k), onclick: () => { state.routine = k; draw(); } },
    el("span", {}, routineName(k)), el("span", { class: "pct" }, percent(n, total(m))))));
  let last = "";
  const body = el("tbody", {}, list.flatMap(i => {
    const place = fileName(i[2]) + ":" + i[3], rows = [];
    if (i[3] && place !== last) { last = place; rows.push(el("tr", {}, el("td", { class: "n" }), el("td", { class: "v" }), el("td", { class: "text soft" }, placeLink(i[2], i[3]), "  " + sourceLine(i[2], i[3])))); }
    rows.push(el("tr", {}, el("td", { class: "n" }, hex(i[0])), el("td", { class: "v", style: heat(i[5 + m] / most) }, fmt(i[5 + m])), el("td", { class: "text" }, i[4] || "")));
    return rows;
  }));
  return [el("div", { class: "side" }, card("Routines", names), card(routineName(state.routine), el("div", { class: "scroll" }, el("table", { class: "code" }, body)), r.dropped[2] ? el("p", { class: "note" }, `${fmt(r.dropped[2])} instructions that count less are not in this page`) : null))];
}

const HUES = [22, 205, 140, 265, 48, 175, 330, 90]; // of images, in their order
// --- flame graph and call tree ------------------------------------------------------------------------------------------------------------------------
function tree() { // children of each node, once for each result
  const r = R();
  if (!r.children) { r.children = r.tree.map(() => []); r.tree.forEach((n, i) => { if (n[0] >= 0) r.children[n[0]].push(i); }); }
  return r.children;
}
const nodeName = n => n[1] >= 0 ? routineName(n[1]) : n[0] < 0 ? "all" : hex(n[4]);
const nodeAll = n => n[5 + M() + state.metric], nodeSelf = n => n[5 + state.metric];
function flame() {
  const r = R(), children = tree(), row = 21, canvas = el("canvas", { tabindex: 0, "aria-label": "flame graph" });
  const image = n => n[1] >= 0 ? base(imageName(r.routines[n[1]][1])) : "";
  let boxes = [];
  function layout() {
    boxes = [];
    const up = []; for (let i = state.zoom; i >= 0; i = r.tree[i][0]) up.unshift(i);
    up.forEach((i, d) => boxes.push([i, d, 0, 1]));
    const walk = (i, d, x, w) => { let at = x; const all = nodeAll(r.tree[i]); for (const k of children[i].slice().sort((a, b) => nodeAll(r.tree[b]) - nodeAll(r.tree[a]))) { const kw = all ? w * nodeAll(r.tree[k]) / all : 0; if (kw > 0.0004) { boxes.push([k, d, at, kw]); walk(k, d + 1, at, kw); } at += kw; } };
    walk(state.zoom, up.length, 0, 1);
  }
  function paint() {
    const width = canvas.parentElement ? canvas.parentElement.clientWidth : 1000, ratio = devicePixelRatio || 1, depth = Math.max(...boxes.map(b => b[1])) + 1, g = canvas.getContext("2d"), night = dark();
    canvas.style.height = depth * row + "px"; canvas.width = width * ratio; canvas.height = depth * row * ratio;
    g.scale(ratio, ratio); g.font = "12px system-ui, 'DejaVu Sans', sans-serif"; g.textBaseline = "middle";
    const words = state.filter.toLowerCase();
    for (const [i, d, x, w] of boxes) {
      const n = r.tree[i], name = nodeName(n), px = x * width, pw = w * width - 0.6;
      const h = HUES[n[1] >= 0 ? (r.routines[n[1]][1] + HUES.length) % HUES.length : 0] + hue(name) % 20, lit = words && name.toLowerCase().includes(words);
      g.fillStyle = lit ? "#d63ad6" : i === 0 ? (night ? "#3a3f4b" : "#d9dce3") : `hsl(${h} ${night ? 38 : 70}% ${night ? 34 + hue(name) % 8 : 76 + hue(name) % 8}%)`;
      if (words && !lit) g.globalAlpha = 0.45;
      g.beginPath(); g.roundRect(px, d * row, Math.max(pw, 0.5), row - 1.5, pw > 8 ? 3 : 0); g.fill(); g.globalAlpha = 1;
      if (pw > 34) { g.save(); g.beginPath(); g.rect(px, d * row, pw - 4, row); g.clip(); g.fillStyle = lit ? "#fff" : night ? "#eceef2" : "#1c1d21"; g.fillText(name, px + 6, d * row + row / 2); g.restore(); }
    }
  }
  const hit = e => { const b = canvas.getBoundingClientRect(), x = (e.clientX - b.left) / b.width, d = Math.floor((e.clientY - b.top) / row); return boxes.find(k => k[1] === d && x >= k[2] && x < k[2] + k[3]); };
  canvas.addEventListener("mousemove", e => { const k = hit(e); if (!k) return hideTip(); const n = r.tree[k[0]]; canvas.style.cursor = "pointer"; tip(e, [el("b", {}, nodeName(n)), el("div", {}, `${fmt(nodeAll(n))} ${metric().name} (${percent(nodeAll(n), nodeAll(r.tree[0]))})`), el("div", { class: "soft" }, `${fmt(nodeSelf(n))} of its own` + (image(n) ? " · " + image(n) : ""))]); });
  canvas.addEventListener("mouseleave", hideTip);
  canvas.addEventListener("click", e => { const k = hit(e); if (k) { state.zoom = k[0]; layout(); paint(); hideTip(); } });
  canvas.addEventListener("keydown", e => { // arrows walk the tree: in, out, to the neighbour
    const s = r.tree[state.zoom][0] >= 0 ? children[r.tree[state.zoom][0]].slice().sort((a, b) => nodeAll(r.tree[b]) - nodeAll(r.tree[a])) : [0], at = s.indexOf(state.zoom);
    const to = e.key === "ArrowUp" ? r.tree[state.zoom][0] : e.key === "ArrowDown" ? children[state.zoom].slice().sort((a, b) => nodeAll(r.tree[b]) - nodeAll(r.tree[a]))[0] : e.key === "ArrowRight" ? s[at + 1] : e.key === "ArrowLeft" ? s[at - 1] : null;
    if (to != null && to >= 0) { state.zoom = to; layout(); paint(); e.preventDefault(); }
  });
  layout(); later(paint); repaint.push(() => { layout(); paint(); });
  return [card("Flame graph", el("p", { class: "soft", style: "margin-top:-6px" }, `Width: ${metric().name}, with all that was called. Click or arrow keys zoom, Esc shows all, the search marks.`), canvas, r.cut ? el("p", { class: "note" }, "Stacks were cut (-stack): what is above them is not known.") : null, r.dropped[3] ? el("p", { class: "note" }, "Paths that count very little are not in this page.") : null)];
}
function callTree() {
  const r = R(), children = tree(), open = new Set([0]), body = el("tbody"), all = nodeAll(r.tree[0]);
  for (let i = 0, d = 0; d < 6 && children[i].length; d++) { open.add(i); i = children[i].slice().sort((a, b) => nodeAll(r.tree[b]) - nodeAll(r.tree[a]))[0]; }
  function rows(i, depth, out) {
    const n = r.tree[i], kids = children[i];
    const twist = () => { open.has(i) ? open.delete(i) : open.add(i); fill(); };
    out.push(el("tr", { tabindex: 0, onkeydown: e => { if (["Enter", "ArrowRight", "ArrowLeft"].includes(e.key)) { twist(); e.preventDefault(); } } },
      el("td", { class: "mono" }, "  ".repeat(depth), el("span", { class: "twist", onclick: twist }, kids.length ? (open.has(i) ? "▾" : "▸") : ""), nodeName(n)),
      bar(nodeAll(n), all), bar(nodeSelf(n), all), el("td", {}, n[1] >= 0 ? base(imageName(r.routines[n[1]][1])) : ""), el("td", {}, placeLink(n[2], n[3]))));
    if (open.has(i)) for (const k of kids.slice().sort((a, b) => nodeAll(r.tree[b]) - nodeAll(r.tree[a])).slice(0, 100)) rows(k, depth + 1, out);
    return out;
  }
  const bar = (n, of) => { const td = el("td", { class: "num bar" }, fmt(n), el("span", { class: "pct" }, percent(n, of))); td.style.setProperty("--w", Math.min(100, of ? n * 100 / of : 0) + "%"); return td; };
  const fill = () => body.replaceChildren(...rows(0, 0, []));
  fill();
  return [card("Call tree", el("div", { class: "scroll" }, el("table", { class: "tree" }, el("thead", {}, el("tr", {}, ["routine", "with what it calls", "itself", "image", "call site"].map((t, i) => el("th", { class: i === 1 || i === 2 ? "num" : "" }, t)))), body)))];
}
const calls = () => [card("Calls", dataTable([{ name: "caller", key: c => routineName(c[0]), wide: true, mono: true }, { name: "callee", key: c => routineName(c[1]), wide: true, mono: true }, { name: "calls", num: true, key: c => c[4] }, ...valueColumns(5), { name: "at", key: c => base(fileName(c[2])) + ":" + c[3], cell: c => placeLink(c[2], c[3]) }], R().calls, { sort: 3 }))];

// --- timelines and heat maps ----------------------------------------------------------------------------------------------------------------------------
const COLOURS = ["#4878d0", "#ee854a", "#3aa655", "#d65f5f", "#956cb4", "#8c613c", "#dc7ec0", "#797979", "#c9b233", "#52b8c9"];
function chart(series, unit, step, index) {
  const W = 1000, H = 150, most = Math.max(...series.values, 1), n = Math.max(series.values.length, 1), ns = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(ns, "svg"); svg.setAttribute("viewBox", `0 0 ${W} ${H}`); svg.setAttribute("preserveAspectRatio", "none"); svg.style.cssText = "width:100%;height:150px;display:block";
  const points = series.values.map((v, i) => `${(i + 0.5) * W / n},${H - v * (H - 6) / most}`), path = document.createElementNS(ns, "path");
  path.setAttribute("d", `M${0.5 * W / n},${H} L${points.join(" L")} L${(n - 0.5) * W / n},${H}Z`); path.setAttribute("fill", COLOURS[index % 10]); path.setAttribute("fill-opacity", ".35"); path.setAttribute("stroke", COLOURS[index % 10]); path.setAttribute("stroke-width", "1.5"); path.setAttribute("vector-effect", "non-scaling-stroke");
  svg.append(path);
  svg.addEventListener("mousemove", e => { const b = svg.getBoundingClientRect(), i = Math.min(n - 1, Math.max(0, Math.floor((e.clientX - b.left) * n / b.width))); tip(e, [el("b", {}, `${fmt(series.values[i] ?? 0)} ${series.name}`), el("div", { class: "soft" }, `${short(i * step)} to ${short((i + 1) * step)} ${unit}`)]); });
  svg.addEventListener("mouseleave", hideTip);
  return card(`${series.name}`, el("p", { class: "soft", style: "margin-top:-8px" }, `up to ${fmt(most)} ${series.kind === "level" ? "" : "in " + short(step) + " " + unit}`), svg, el("div", { class: "chips", style: "justify-content:space-between" }, el("span", {}, "0"), el("span", {}, short(n * step) + " " + unit)));
}
const ramp = t => { const s = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]], k = Math.min(3.999, Math.max(0, t) * 4), i = Math.floor(k), f = k - i; return s[i].map((c, j) => Math.round(c + (s[i + 1][j] - c) * f)); };
// A picture of numbers: rows of values with names, each row by its own maximum when `each`.
function heatMap(title, names, rows, label, each) {
  const canvas = el("canvas", { "aria-label": title }), w = Math.max(...rows.map(r => r.length), 1), most = Math.max(1, ...rows.map(r => Math.max(0, ...r)));
  canvas.width = w; canvas.height = rows.length; canvas.style.cssText = `height:${Math.max(rows.length > 64 ? 320 : rows.length * 22, 60)}px; image-rendering: pixelated; border-radius:6px`;
  const g = canvas.getContext("2d"), image = g.createImageData(w, rows.length);
  rows.forEach((r, y) => { const top = each ? Math.max(1, ...r) : most; for (let x = 0; x < w; x++) { const c = ramp(Math.sqrt((r[x] || 0) / top)), at = (y * w + x) * 4; image.data[at] = c[0]; image.data[at + 1] = c[1]; image.data[at + 2] = c[2]; image.data[at + 3] = 255; } });
  g.putImageData(image, 0, 0);
  canvas.addEventListener("mousemove", e => { const b = canvas.getBoundingClientRect(), x = Math.min(w - 1, Math.floor((e.clientX - b.left) * w / b.width)), y = Math.min(rows.length - 1, Math.floor((e.clientY - b.top) * rows.length / b.height)); tip(e, [el("b", {}, `${names[y] ?? y}: ${fmt(rows[y]?.[x] ?? 0)}`), el("div", { class: "soft" }, label(x))]); });
  canvas.addEventListener("mouseleave", hideTip);
  const side = names.length <= 24 ? el("div", { style: `display:flex;flex-direction:column;justify-content:space-around;height:${canvas.style.height};text-align:right;white-space:nowrap`, class: "soft" }, names.map(n => el("span", {}, String(n)))) : el("span");
  return card(title, el("div", { style: "display:grid;grid-template-columns:max-content 1fr;gap:12px;align-items:start" }, side, el("div", {}, canvas)));
}
function timeline() {
  const t = R().timeline, out = [];
  if (t.series.length > 1) out.push(heatMap("All series over time", t.series.map(s => s.name), t.series.map(s => s.values), x => `from ${short(x * t.step)} ${t.unit}`, true));
  t.series.forEach((s, i) => out.push(chart(s, t.unit, t.step, i)));
  return out;
}

// --- other tables, findings ---------------------------------------------------------------------------------------------------------------------------------
function histogram(table, at) {
  const rows = table.rows.slice(0, 200), most = Math.max(...rows.map(r => r[at]), 1);
  return el("div", { style: "display:flex;align-items:flex-end;gap:1px;height:110px;margin-bottom:12px" }, rows.map(r => el("div", { style: `flex:1;background:var(--accent);opacity:.8;height:${Math.max(r[at] * 100 / most, r[at] ? 1 : 0)}%`, onmousemove: e => tip(e, [el("b", {}, `${r[0]}: ${fmt(r[at])}`)]), onmouseleave: hideTip })));
}
function others() {
  return R().tables.map(t => {
    const numeric = t.columns.map((c, i) => c.kind === "text" ? -1 : i).filter(i => i >= 0);
    if (t.chart === "heatmap") return heatMap(t.title, t.rows.map(r => r[0]), t.rows.map(r => numeric.map(i => r[i])), x => t.columns[numeric[x]].name, false);
    const columns = t.columns.map((c, i) => ({ name: c.name, num: c.kind !== "text", key: r => r[i] ?? "", wide: c.kind === "text", cell: r => r[i] == null ? "" : c.kind === "text" ? String(r[i]) : c.kind === "address" ? hex(r[i]) : c.kind === "percent" ? r[i] + "%" : c.kind === "bytes" || c.kind === "ns" ? value(r[i], c.kind) : fmt(r[i]) }));
    return card(t.title, t.chart === "histogram" && numeric.length ? histogram(t, numeric[0]) : null, dataTable(columns, t.rows, { sort: t.chart ? -1 : undefined, dropped: t.all - t.rows.length }));
  });
}
function findings() {
  const r = R(), words = state.filter.toLowerCase();
  const frame = i => { const f = r.frames[i] || [-1, -1, 0, 0]; return el("li", { class: "mono" }, (f[0] >= 0 ? routineName(f[0]) : hex(f[3])) + "  ", placeLink(f[1], f[2])); };
  return r.findings.filter(f => (f.kind + f.text).toLowerCase().includes(words)).map(f => el("section", { class: "card finding" }, el("h3", {}, f.kind, f.count > 1 ? el("span", { class: "soft" }, `  ${fmt(f.count)} times`) : null), el("p", {}, f.text),
    (f.stacks || []).map(s => el("div", {}, el("span", { class: "soft" }, s.title), el("ol", {}, s.frames.slice().reverse().map(frame))))));
}

// --- comparison ------------------------------------------------------------------------------------------------------------------------------------------------
function compare() {
  const c = data.compare, [a, b] = data.results, n = c.metrics.length;
  let m = c.metrics.findIndex(k => k[0] === state.metric); if (m < 0) m = 0;
  const name = a.metrics[c.metrics[m][0]].name;
  const delta = (x, y) => el("span", { class: y > x ? "up" : y < x ? "down" : "soft" }, (y > x ? "+" : "") + fmt(y - x));
  const change = (x, y) => x === y ? "" : !x ? "new" : !y ? "gone" : ((y - x) * 100 / x).toFixed(1) + "%";
  const cols = (first, x = 3 + m, y = 3 + n + m) => [...first, { name: "a", num: true, key: r => r[x] }, { name: "b", num: true, key: r => r[y] }, { name: "difference", num: true, key: r => Math.abs(r[y] - r[x]), cell: r => delta(r[x], r[y]) },
    { name: "change", num: true, key: r => r[x] ? (r[y] - r[x]) / r[x] : Infinity, cell: r => change(r[x], r[y]) }];
  const at = first => first.length + 2;
  const routine = [{ name: "routine", key: r => r[0], cell: r => r[0] || "?", wide: true, mono: true }, { name: "image", key: r => r[1] }], line = [{ name: "line", key: r => r[0] + ":" + String(r[2]).padStart(6), cell: r => r[0] + ":" + r[2] }], row = [{ name: "row", key: r => r[0], wide: true }];
  return [card("a and b", el("dl", {}, [["a", a], ["b", b]].flatMap(([k, r]) => [el("dt", {}, k), el("dd", {}, `${r.path}: ${(r.argv || []).join(" ")} (${r.tool}, process ${r.pid})`)]))),
    card("Totals", el("table", {}, el("thead", {}, el("tr", {}, ["metric", "a", "b", "difference", "change"].map((t, i) => el("th", { class: i ? "num" : "" }, t)))), el("tbody", {}, c.metrics.map(([x, y]) => el("tr", {}, el("td", {}, a.metrics[x].name), el("td", { class: "num" }, fmt(a.totals[x])), el("td", { class: "num" }, fmt(b.totals[y])), el("td", { class: "num" }, delta(a.totals[x], b.totals[y])), el("td", { class: "num" }, change(a.totals[x], b.totals[y]))))))),
    c.routines.length ? card(`Routines by ${name}`, dataTable(cols(routine), c.routines, { sort: at(routine) })) : null, c.lines.length ? card(`Lines by ${name}`, dataTable(cols(line), c.lines, { sort: at(line) })) : null,
    ...c.tables.map(t => card(`${t.title}: ${t.column}`, dataTable(cols(row, 3, 4), t.rows, { sort: at(row), dropped: t.all - t.rows.length })))].filter(Boolean);
}

// --- the page -----------------------------------------------------------------------------------------------------------------------------------------------------
const TABS = [["summary", "Summary", () => true, summary], ["compare", "Comparison", () => data.compare, compare], ["findings", "Findings", () => R().findings, findings], ["routines", "Routines", () => R().routines.some(r => r.slice(5).some(Boolean)), routines],
  ["lines", "Lines", () => R().lines.length, lines], ["source", "Source", () => R().lines.length && Object.keys(data.sources).length, source], ["disassembly", "Disassembly", () => R().instructions.length, disassembly],
  ["flame", "Flame graph", () => R().tree && R().tree.length > 1, flame], ["tree", "Call tree", () => R().tree && R().tree.length > 1, callTree], ["calls", "Calls", () => R().calls.length, calls],
  ["timeline", "Timeline", () => R().timeline && R().timeline.series.length, timeline], ["tables", "Tables", () => R().tables && R().tables.length, others]];
let repaint = [], queue = [], printing = false;
const later = fn => queue.push(fn);
const shown = () => TABS.filter(t => t[2]());
function draw() {
  const tabs = shown();
  if (!tabs.some(t => t[0] === state.tab)) state.tab = "summary";
  if (state.metric >= M()) state.metric = 0;
  tables = []; repaint = []; queue = [];
  $("tabs").replaceChildren(...tabs.map((t, i) => el("button", { role: "tab", id: "tab-" + t[0], "aria-selected": String(t[0] === state.tab), onclick: () => show(t[0]) }, t[1], i < 9 ? el("sup", {}, String(i + 1)) : null)));
  $("main").replaceChildren(...(printing ? tabs.flatMap(t => t[3]()) : tabs.find(t => t[0] === state.tab)[3]()));
  $("metric").replaceChildren(...R().metrics.map((m, i) => el("option", { value: i, selected: i === state.metric }, m.name)));
  $("title").replaceChildren(base(R().program) || R().path, el("small", {}, `${R().tool} · process ${R().pid}`));
  document.title = `${base(R().program)}: ${R().tool} (Linchpin)`;
  for (const fn of queue) fn();
}
function show(tab) { state.tab = tab; hideTip(); draw(); scrollTo(0, 0); history.replaceState(null, "", "#" + tab); }
function tip(e, content) { const t = $("tip"); t.replaceChildren(...content); t.hidden = false; t.style.left = Math.min(e.clientX + 14, innerWidth - t.offsetWidth - 8) + "px"; t.style.top = Math.min(e.clientY + 14, innerHeight - t.offsetHeight - 8) + "px"; }
const hideTip = () => { $("tip").hidden = true; };
function turnTheme() { document.documentElement.dataset.theme = dark() ? "light" : "dark"; draw(); }
const KEYS = [["1 … 9", "the tabs"], ["/", "search"], ["m", "next metric"], ["t", "light or dark"], ["Esc", "the whole flame graph; empties the search"], ["Enter", "sort by the column, open a row"], ["arrows", "in the flame graph and the call tree"], ["?", "these keys"]];
function help() { $("help").replaceChildren(el("h2", {}, "Keys"), el("dl", {}, KEYS.flatMap(([k, v]) => [el("dt", {}, el("kbd", {}, k)), el("dd", {}, v)])), el("p", { class: "note" }, `linchpin ${data.version}`), el("form", { method: "dialog" }, el("button", {}, "close"))); $("help").showModal(); }
$("which-label").hidden = data.results.length < 2;
$("which").replaceChildren(...data.results.map((r, i) => el("option", { value: i }, `${base(r.program)} (${r.tool}, ${r.pid})`)));
$("which").onchange = e => { state.result = +e.target.value; state.zoom = 0; state.routine = null; draw(); };
$("metric").onchange = e => { state.metric = +e.target.value; draw(); };
$("theme").onclick = turnTheme; $("keys").onclick = help;
$("search").oninput = e => { state.filter = e.target.value; for (const t of tables) t.refill(); for (const fn of repaint) fn(); if (["disassembly", "findings"].includes(state.tab)) draw(); };
addEventListener("keydown", e => {
  const typing = ["INPUT", "SELECT", "TEXTAREA"].includes(e.target.tagName);
  if (e.key === "Escape") { if (state.zoom) { state.zoom = 0; for (const fn of repaint) fn(); } else { $("search").value = state.filter = ""; $("search").blur(); draw(); } return; }
  if (typing || e.ctrlKey || e.altKey || e.metaKey || $("help").open) return;
  if (e.key === "Enter" && e.target.tagName === "TR") e.target.click();
  else if (e.key >= "1" && e.key <= "9") { const t = shown()[e.key - 1]; if (t) show(t[0]); }
  else if (e.key === "/") { $("search").focus(); e.preventDefault(); }
  else if (e.key === "m") { state.metric = (state.metric + 1) % M(); draw(); }
  else if (e.key === "t") turnTheme();
  else if (e.key === "?") help();
});
addEventListener("resize", () => { for (const fn of repaint) fn(); });
addEventListener("beforeprint", () => { printing = true; document.documentElement.dataset.theme = "light"; draw(); });
addEventListener("afterprint", () => { printing = false; draw(); });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
if (location.hash) state.tab = location.hash.slice(1).split("&")[0];
for (const [, k, v] of location.hash.matchAll(/&(\w+)=([^&]*)/g)) { if (k === "theme") document.documentElement.dataset.theme = v; else if (k === "metric") state.metric = +v; else if (k === "search") $("search").value = state.filter = decodeURIComponent(v); }
if (data.compare && !location.hash) state.tab = "compare";
addEventListener("error", e => { document.documentElement.dataset.error = e.message; });
draw();
document.documentElement.dataset.ready = "yes";
