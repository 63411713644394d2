// The data of the page and the tree as a graph. Two script elements hold it:
// "entries" has a line of JSON for each entry of the log, "index" what is known
// of all of them. Texts reach the document as text nodes only, never as markup.

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

const roles = {user: 'User', assistant: 'Assistant', toolResult: 'Result', bashExecution: 'Command by the user', system: 'System prompt',
  custom: 'Note', compactionSummary: 'Compaction', branchSummary: 'Branch summary'};
const who = h => (roles[h.r] || h.r || h.y.replaceAll('_', ' ')) + (h.o ? ' · ' + h.o : '');

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

// usePath walks to a leaf and finds, for each compaction on the way, where
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
