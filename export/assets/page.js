'use strict';
// The page shows what two script elements hold: "entries" has a line of JSON
// for each entry of the log, "index" what is known of all of them. Texts reach
// the document as text nodes only, never as markup.
(() => {
const $ = id => document.getElementById(id);
const index = JSON.parse($('index').textContent);
const lines = $('entries').textContent.split('\n');
const heads = index.heads;
$('entries').remove();
$('index').remove();

const partsOf = i => JSON.parse(lines[i]);

// el makes an element. A text is set as text.
function el(tag, className, text) {
  const e = document.createElement(tag);
  if (className) e.className = className;
  if (text !== undefined) e.textContent = text;
  return e;
}

const bidi = text => { const b = el('bdi', '', text); b.dir = 'auto'; return b; };
const number = n => n.toLocaleString('en-US');
const plural = (n, one, many) => number(n) + ' ' + (n === 1 ? one : many);
const when = ms => Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString().replace('T', ' ').replace(/\..*/, '') : '';

const roles = {user: 'User', assistant: 'Assistant', toolResult: 'Result', bashExecution: 'Command of the user', system: 'System prompt',
  custom: 'Note', compactionSummary: 'Compaction', branchSummary: 'Branch summary'};
const who = h => (roles[h.r] || h.r || h.y.replaceAll('_', ' ')) + (h.o ? ' · ' + h.o : '');

// ---- the tree as a graph ----

const kids = heads.map(() => []);
const newest = heads.map((_, i) => i); // newest entry below each, which is a leaf
const byID = new Map();                // a reference means the nearest, a link the newest
heads.forEach((h, i) => { byID.set(h.id, i); if (h.u >= 0) kids[h.u].push(i); });
for (let i = heads.length - 1; i >= 0; i--) {
  const up = heads[i].u;
  if (up >= 0 && newest[i] > newest[up]) newest[up] = newest[i];
}
const views = new Map(index.views.map(v => [v.leaf, v]));

// state is all that the user can change.
const state = {leaf: index.leaf, mode: 'said', at: index.leaf, unfold: false, opened: new Set(), folded: new Set(), shut: new Set()};
let path = [], onPath = new Set(), covers = new Map();

// usePath walks to a leaf and finds out, for each compaction on the way, where
// what it keeps begins.
function usePath(leaf) {
  state.leaf = leaf;
  path = [];
  for (let i = leaf; i >= 0; i = heads[i].u) path.push(i);
  path.reverse();
  onPath = new Set(path);
  covers = new Map();
  const seen = new Map();
  path.forEach((i, pos) => {
    seen.set(heads[i].id, pos);
    if (heads[i].y === 'compaction') covers.set(i, seen.get(heads[i].k) ?? pos);
  });
}

// ---- the conversation, in chunks that are filled when they come near ----

const talk = $('talk');
const chunkSize = 30, guess = 110; // rows in a chunk; height of a row not seen yet, in pixels
let rows = [], chunks = [];

const watcher = new IntersectionObserver(seen => {
  for (const s of seen) s.isIntersecting ? fill(s.target) : empty(s.target);
}, {root: talk, rootMargin: '2000px 0px'});

function fill(chunk) {
  if (chunk.full) return;
  chunk.full = true;
  chunk.style.minHeight = '';
  chunk.append(...rows.slice(chunk.from, chunk.to).map(rowElement));
}

function empty(chunk) {
  if (!chunk.full || chunk.contains(document.activeElement)) return;
  chunk.style.minHeight = chunk.offsetHeight + 'px';
  chunk.replaceChildren();
  chunk.full = false;
}

// layRows decides what is shown, and in which order.
function layRows() {
  const view = views.get(state.leaf);
  rows = [];
  if (state.mode === 'seen' && view) {
    if (view.prompt) rows.push({i: -1, role: 'system', parts: view.prompt});
    for (const it of view.items) rows.push(...seenRows(it));
    for (const l of view.left || []) rows.push({i: l.i, left: l.rule});
  } else {
    const kept = view ? covers.get(view.c) ?? 0 : 0; // of the compaction in force
    path.forEach((i, pos) => rows.push({i, covered: pos < kept}));
  }
  draw();
}

// seenRows are a message of the view; an opened summary shows what it stands for.
function seenRows(it) {
  const row = {i: it.i, role: it.r, parts: it.d, item: it};
  if (!covers.has(it.i) || !state.opened.has(it.i)) return [row];
  return [row, ...path.slice(0, covers.get(it.i)).map(i => ({i, covered: true, inside: true}))];
}

function draw() {
  watcher.disconnect();
  chunks = [];
  for (let from = 0; from < rows.length; from += chunkSize) {
    const c = el('div', 'chunk');
    c.from = from;
    c.to = Math.min(rows.length, from + chunkSize);
    c.style.minHeight = (c.to - c.from) * guess + 'px';
    chunks.push(c);
  }
  talk.replaceChildren(...chunks);
  if (!rows.length) talk.append(el('p', 'empty', heads.length ? 'Nothing is shown here.' : 'Nothing was said in this session.'));
  chunks.forEach(c => watcher.observe(c));
}

// showRow brings a row to the top. Heights are guesses until rows are drawn,
// so it is put there again, frame by frame, until it stays.
function showRow(r) {
  const chunk = chunks[Math.floor(r / chunkSize)];
  if (!chunk) return;
  const wanted = 12; // pixels from the top
  let frames = 30, still = 0;
  const put = () => {
    if (!chunk.isConnected) return;
    fill(chunk);
    const e = chunk.children[r - chunk.from], before = talk.scrollTop;
    if (!e.classList.contains('here')) {
      talk.querySelectorAll('.here').forEach(x => x.classList.remove('here'));
      if (rows[r].i === state.at) e.classList.add('here');
    }
    talk.scrollTop += e.getBoundingClientRect().top - talk.getBoundingClientRect().top - wanted;
    still = Math.abs(talk.scrollTop - before) < 1 ? still + 1 : 0;
    if (--frames > 0 && still < 3) requestAnimationFrame(put);
  };
  put();
}

// ---- one row ----

function rowElement(row) {
  const h = row.i >= 0 ? heads[row.i] : {id: '', y: 'message', r: row.role, n: 0};
  if (h.y === 'compaction') return divider(row, h);
  const parts = row.parts || (row.i >= 0 ? partsOf(row.i) : []);
  const a = el('article', h.r || 'other');
  a.classList.toggle('failed', !!h.e);
  a.classList.toggle('inside', !!row.inside);
  a.classList.toggle('small', !parts.length);
  a.classList.toggle('here', row.i >= 0 && row.i === state.at);
  a.append(headLine(row, h));
  if (!parts.length) a.firstChild.insertBefore(bidi(h.p || ''), a.firstChild.children[1]);
  parts.forEach((p, k) => a.append(...partElements(p, (row.item ? 's' : '') + row.i + '.' + k)));
  return a;
}

function headLine(row, h) {
  const head = el('header');
  head.append(el('span', 'who', who(h)));
  if (h.t) head.append(time(h.t));
  if (h.n) head.append(el('span', '', plural(h.n, 'token', 'tokens')));
  if (h.l) head.append(el('span', 'badge label', h.l));
  for (const b of badges(row)) head.append(el('span', 'badge', b));
  if (h.id) {
    const link = el('a', 'link', '#');
    link.href = '#' + encodeURIComponent(h.id);
    link.title = 'Link to entry ' + h.id;
    link.setAttribute('aria-label', link.title);
    head.append(link);
  }
  return head;
}

function time(ms) {
  const t = el('time', '', when(ms));
  t.title = 'UTC';
  return t;
}

function badges(row) {
  const it = row.item || {}, out = [];
  if (row.covered) out.push('summarized');
  if (row.left) out.push('not seen: ' + row.left);
  if (it.pin) out.push('pinned');
  if (it.req) out.push('open request');
  if (it.ed) out.push('changed by the view');
  if (it.why) out.push('made by the view: ' + it.why);
  return out;
}

// divider is where a compaction stands. It opens to the summary and to what
// was summarized.
function divider(row, h) {
  const d = el('section', 'divider compactionSummary');
  d.classList.toggle('here', row.i === state.at);
  const n = covers.get(row.i) ?? 0;
  const taken = heads.some(x => x.x === h.id);
  d.append(headLine(row, h));
  d.append(el('div', 'note', (h.b ? number(h.b) + ' tokens before it' : 'Size before it unknown') + (taken ? '; taken back later' : '')));
  const summary = el('details');
  summary.open = state.mode === 'seen';
  summary.append(el('summary', '', 'Summary'));
  (row.parts || partsOf(row.i)).forEach((p, k) => summary.append(...partElements(p, 'c' + row.i + '.' + k)));
  d.append(summary);
  if (n > 0) d.append(openButton(row.i, n));
  return d;
}

function openButton(i, n) {
  const b = el('button', 'open');
  b.type = 'button';
  if (state.mode !== 'seen') {
    b.textContent = 'What was summarized: ' + plural(n, 'entry', 'entries') + ' above';
    b.onclick = () => open(path[0]);
    return b;
  }
  const isOpen = state.opened.has(i);
  b.textContent = (isOpen ? 'Close' : 'Open') + ' what was summarized: ' + plural(n, 'entry', 'entries');
  b.setAttribute('aria-expanded', isOpen);
  b.onclick = () => {
    isOpen ? state.opened.delete(i) : state.opened.add(i);
    const r = rows.findIndex(x => x.i === i);
    layRows();
    showRow(r);
    chunks[Math.floor(r / chunkSize)].querySelector('button.open')?.focus({preventScroll: true});
  };
  return b;
}

// partElements shows a piece of an entry. key remembers whether it is unfolded.
function partElements(p, key) {
  switch (p.k) {
  case 'text': return [...named(p), ...folding(p.t || '', 'text', 60, 12000, key)];
  case 'thinking': return [thinking(p)];
  case 'call': return [...named(p), ...folding(p.t || '', 'mono', 8, 1200, key)];
  case 'output': return [...named(p), ...folding(p.t || '', 'mono', 8, 1200, key)];
  case 'raw': return [...named(p), ...folding(p.t || '', 'mono', 8, 1200, key)];
  case 'error': return folding(p.t || '', 'mono error', 8, 1200, key);
  case 'image': return [image(p)];
  }
  return [el('div', 'note', p.t)];
}

const named = p => p.n ? [el('div', 'name', p.n)] : [];

function thinking(p) {
  const d = el('details');
  d.append(el('summary', '', 'Thinking'));
  d.addEventListener('toggle', () => d.children.length < 2 && d.append(el('pre', 'text', p.t)), {once: true});
  return d;
}

// image shows only what can be nothing but a picture.
function image(p) {
  if (!/^image\/(png|jpeg|gif|webp|avif|bmp)$/i.test(p.n || '') || !/^[A-Za-z0-9+/=\s]+$/.test(p.t || '')) {
    return el('div', 'note', 'media ' + (p.n || '') + ', not shown');
  }
  const img = el('img');
  img.alt = 'image';
  img.loading = 'lazy';
  img.src = 'data:' + p.n + ';base64,' + p.t;
  return img;
}

// folding shows the beginning of a long text and a button for the rest.
function folding(text, className, maxLines, maxChars, key) {
  const cut = cutAt(text, maxLines, maxChars);
  const pre = el('pre', className);
  pre.dir = 'auto';
  if (cut >= text.length) {
    pre.textContent = text;
    return [pre];
  }
  const lineCount = text.replace(/\n$/, '').split('\n').length;
  const all = lineCount > maxLines ? plural(lineCount, 'line', 'lines') : plural(text.length, 'character', 'characters');
  const b = el('button', 'more');
  b.type = 'button';
  const show = () => {
    const open = state.unfold ? !state.shut.has(key) : state.folded.has(key);
    pre.textContent = open ? text : text.slice(0, cut);
    b.textContent = open ? 'Fold' : 'Show all ' + all;
    b.setAttribute('aria-expanded', open);
  };
  b.onclick = () => {
    const set = state.unfold ? state.shut : state.folded;
    set.has(key) ? set.delete(key) : set.add(key);
    show();
  };
  show();
  return [pre, b];
}

// cutAt is where a text is folded; its length where it is not worth it. It
// never parts a surrogate pair.
function cutAt(text, maxLines, maxChars) {
  let at = 0;
  for (let n = 0; n < maxLines && at >= 0; n++) at = text.indexOf('\n', at + (n > 0));
  let cut = at < 0 ? text.length : at;
  if (cut > maxChars) cut = maxChars;
  if (text.length - cut < 80 && text.length <= maxChars) return text.length;
  const c = text.charCodeAt(cut - 1);
  return c >= 0xd800 && c < 0xdc00 ? cut - 1 : cut;
}

// ---- the tree as a list, of which only the visible part is drawn ----

const tree = $('tree'), rowHeight = 26;
const space = el('div', 'space');
let nodes = [], cursor = 0, hits = null; // hits: what a search found, or null

// layTree lists the shown entries depth first, the open path first.
function layTree() {
  const filter = +$('filter').value;
  const shown = heads.map((h, i) => (!filter || (h.f & filter) > 0) && (!hits || hits[i]));
  const up = new Int32Array(heads.length).fill(-1), near = new Int32Array(heads.length);
  const below = heads.map(() => null), roots = [];
  heads.forEach((h, i) => {
    up[i] = h.u >= 0 ? near[h.u] : -1;
    near[i] = shown[i] ? i : up[i];
    if (!shown[i]) return;
    if (up[i] < 0) roots.push(i);
    else (below[up[i]] ||= []).push(i);
  });
  nodes = [];
  const wait = [];
  const push = (list, depth) => {
    const ordered = [...list.filter(i => onPath.has(i)), ...list.filter(i => !onPath.has(i))];
    for (const i of ordered.reverse()) wait.push({i, depth: depth + (list.length > 1), alone: list.length === 1, root: up[i] < 0});
  };
  push(roots, 0);
  while (wait.length) {
    const n = wait.pop(), list = below[n.i] || [];
    n.foldable = list.length > 0 && (n.root || !n.alone);
    n.isFolded = n.foldable && folds.has(n.i);
    nodes.push(n);
    if (!n.isFolded) push(list, Math.min(n.depth, 24));
  }
  const at = nodes.findIndex(n => n.i === state.at);
  cursor = at >= 0 ? at : Math.min(cursor, Math.max(0, nodes.length - 1));
  $('found').textContent = hits ? plural(nodes.length, 'entry', 'entries') + ' found' : plural(nodes.length, 'entry', 'entries');
  drawTree();
}
const folds = new Set();

function drawTree() {
  space.style.height = nodes.length * rowHeight + 'px';
  const from = Math.max(0, Math.floor(tree.scrollTop / rowHeight) - 10);
  const to = Math.min(nodes.length, Math.ceil((tree.scrollTop + tree.clientHeight) / rowHeight) + 10);
  const drawn = [];
  for (let k = from; k < to; k++) drawn.push(nodeElement(nodes[k], k));
  tree.replaceChildren(space, ...drawn);
  tree.setAttribute('aria-activedescendant', nodes.length ? 'n' + cursor : '');
}

function nodeElement(n, k) {
  const h = heads[n.i], e = el('div', 'node');
  e.id = 'n' + k;
  e.style.top = k * rowHeight + 'px';
  e.style.paddingLeft = 6 + n.depth * 12 + 'px';
  e.setAttribute('role', 'treeitem');
  e.setAttribute('aria-level', n.depth + 1);
  e.setAttribute('aria-selected', n.i === state.at);
  if (n.foldable) e.setAttribute('aria-expanded', !n.isFolded);
  e.classList.toggle('at', n.i === state.at);
  e.classList.toggle('cursor', k === cursor);
  e.classList.toggle('off', !onPath.has(n.i));
  const fold = el('span', 'fold', n.foldable ? (n.isFolded ? '▸' : '▾') : '');
  fold.onclick = ev => { if (n.foldable) { ev.stopPropagation(); toggleFold(n); } };
  e.append(fold, el('span', 'dot', onPath.has(n.i) ? '•' : ''));
  if (h.l) e.append(el('span', 'tag', h.l));
  if (h.r && h.r !== 'toolResult') e.append(el('span', 'who', roles[h.r] || h.r));
  e.append(bidi(h.p || ''));
  e.onclick = () => { cursor = k; open(n.i); };
  return e;
}

function toggleFold(n) {
  folds.has(n.i) ? folds.delete(n.i) : folds.add(n.i);
  layTree();
}

function moveCursor(to) {
  if (!nodes.length) return;
  cursor = Math.max(0, Math.min(nodes.length - 1, to));
  keepInSight(cursor);
  drawTree();
}

function keepInSight(k) {
  const top = k * rowHeight;
  if (top < tree.scrollTop) tree.scrollTop = top;
  else if (top + rowHeight > tree.scrollTop + tree.clientHeight) tree.scrollTop = top + rowHeight - tree.clientHeight;
}

const page = () => Math.max(1, Math.floor(tree.clientHeight / rowHeight) - 1);
const keys = {
  ArrowUp: () => moveCursor(cursor - 1), ArrowDown: () => moveCursor(cursor + 1),
  PageUp: () => moveCursor(cursor - page()), PageDown: () => moveCursor(cursor + page()),
  Home: () => moveCursor(0), End: () => moveCursor(nodes.length - 1),
  ArrowLeft: n => n.foldable && !n.isFolded && toggleFold(n), ArrowRight: n => n.isFolded && toggleFold(n),
  Enter: n => open(n.i), ' ': n => open(n.i),
};
tree.addEventListener('keydown', ev => {
  if (!keys[ev.key] || !nodes.length || ev.ctrlKey || ev.metaKey || ev.altKey) return;
  ev.preventDefault();
  keys[ev.key](nodes[cursor]);
});
tree.addEventListener('scroll', () => requestAnimationFrame(drawTree));
window.addEventListener('resize', drawTree);

// ---- search: every word in label, role, preview or anything that was said ----

const hay = [];
function haystack(i) {
  if (hay[i] === undefined) {
    const h = heads[i];
    const said = partsOf(i).filter(p => p.k !== 'image').map(p => (p.n || '') + ' ' + (p.t || ''));
    hay[i] = [h.id, h.l, who(h), h.p, ...said].join('\n').toLowerCase();
  }
  return hay[i];
}

// search looks through the entries in slices, so that typing never waits.
let searching = 0;
async function search() {
  const mine = ++searching;
  const words = $('search').value.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) {
    hits = null;
    folds.clear();
    return layTree();
  }
  const found = new Uint8Array(heads.length);
  for (let i = 0; i < heads.length; i++) {
    if (i % 400 === 399) {
      await new Promise(done => setTimeout(done));
      if (mine !== searching) return;
    }
    const text = haystack(i);
    if (words.every(w => text.includes(w))) found[i] = 1;
  }
  hits = found;
  folds.clear();
  layTree();
}

let typing = 0;
$('search').addEventListener('input', () => { clearTimeout(typing); typing = setTimeout(search, 120); });
$('search').addEventListener('keydown', ev => {
  if (ev.key === 'Escape') { $('search').value = ''; search(); }
  if (ev.key === 'ArrowDown' || ev.key === 'Enter') { ev.preventDefault(); tree.focus(); }
});
$('filter').addEventListener('change', () => { folds.clear(); layTree(); });
document.addEventListener('keydown', ev => {
  if (ev.key === '/' && !/INPUT|SELECT|TEXTAREA/.test(document.activeElement.tagName)) {
    ev.preventDefault();
    $('side').classList.add('open');
    $('search').focus();
  }
});

// ---- going somewhere ----

// open shows an entry, on the newest branch that it is part of.
function open(i, fromLink) {
  state.at = i;
  if (!onPath.has(i)) {
    usePath(newest[i]);
    state.opened.clear();
    layMode();
  }
  const find = () => rows.findIndex(x => x.i === i);
  let r = find();
  if (r < 0 && state.mode === 'seen') {
    state.mode = 'said';
    layMode();
    r = find();
  }
  layTree();
  keepInSight(cursor);
  drawTree();
  showRow(r);
  if (!fromLink) history.replaceState(null, '', '#' + encodeURIComponent(heads[i].id));
  $('side').classList.remove('open');
}

// layMode puts the switch right and lays out the conversation.
function layMode() {
  const seen = document.querySelector('#mode input[value="seen"]');
  seen.disabled = !views.has(state.leaf);
  seen.parentElement.title = seen.disabled ? 'Known only at the end of a branch that was exported with it' : '';
  if (seen.disabled) state.mode = 'said';
  document.querySelector('#mode input[value="' + state.mode + '"]').checked = true;
  facts();
  layRows();
}

function facts() {
  const view = views.get(state.leaf), out = [];
  if (index.created) out.push(when(index.created) + ' UTC');
  if (index.cwd) out.push(index.cwd);
  out.push(plural(path.length, 'entry', 'entries') + ' on this path of ' + number(heads.length));
  if (view) out.push('the model sees ' + plural(view.items.length, 'message', 'messages') + ', about ' + plural(view.tokens, 'token', 'tokens'));
  out.push('session ' + index.session);
  $('facts').textContent = out.join(' · ');
}

for (const input of document.querySelectorAll('#mode input')) {
  input.addEventListener('change', () => {
    state.mode = input.value;
    layMode();
    talk.scrollTop = 0;
    showRow(rows.findIndex(x => x.i === state.at));
  });
}
$('unfold').onclick = () => {
  state.unfold = !state.unfold;
  state.folded.clear();
  state.shut.clear();
  $('unfold').setAttribute('aria-pressed', state.unfold);
  $('unfold').textContent = state.unfold ? 'Fold output' : 'Unfold output';
  for (const c of chunks.filter(c => c.full)) {
    c.replaceChildren();
    c.full = false;
    fill(c);
  }
};
$('menu').onclick = () => $('menu').setAttribute('aria-expanded', $('side').classList.toggle('open'));

function target() {
  let id = location.hash.slice(1);
  try { id = decodeURIComponent(id); } catch { /* a link cut short: taken as it is */ }
  return byID.get(id);
}
window.addEventListener('hashchange', () => { const i = target(); if (i !== undefined) open(i, true); });

// ---- start ----

document.title = index.title;
$('title').textContent = index.title;
if (index.problems.length) {
  const p = $('problems');
  p.hidden = false;
  p.querySelector('summary').textContent = plural(index.problems.length, 'problem was', 'problems were') + ' found in the file';
  p.querySelector('ul').append(...index.problems.slice(0, 200).map(t => el('li', '', t)));
}
usePath(state.leaf);
layMode();
const first = target();
if (first !== undefined) {
  open(first, true);
} else {
  layTree();
  keepInSight(cursor);
  drawTree();
}
document.documentElement.dataset.ready = 'yes';
})();
