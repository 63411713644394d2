// The tree as a list, of which only the visible part is drawn, and the search:
// every word has to be in label, role, preview or anything that was said.

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
