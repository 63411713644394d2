// Going somewhere, the switch, and the start.

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
  seen.parentElement.title = seen.disabled ? 'Known only at the ends of the branches that were exported with their views' : '';
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

document.title = index.title;
$('title').textContent = index.title;
if (index.now) {
  const n = $('now'), div = n.querySelector('div');
  n.hidden = false;
  n.querySelector('summary').textContent = 'Now: ' + (index.now.line || 'nothing is open');
  for (const k of index.now.kinds) {
    const list = el('ul', '');
    list.append(...k.items.map(t => el('li', '', t)));
    if (k.more) list.append(el('li', '', number(k.more) + ' more'));
    div.append(el('h2', '', k.k), list);
  }
}
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
