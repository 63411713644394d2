// One row of the conversation: a message, bookkeeping, or the divider of a
// compaction.

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

// divider is the place of a compaction. It unfolds to the summary and to what
// was summarized.
function divider(row, h) {
  const d = el('section', 'divider compactionSummary');
  d.classList.toggle('here', row.i === state.at);
  const n = covers.get(row.i) ?? 0;
  const taken = heads.some(x => x.x === h.id);
  d.append(headLine(row, h));
  d.append(el('div', 'note', (h.b ? number(h.b) + ' tokens before it' : 'Size before it unknown') + (taken ? '; undone later' : '')));
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

// image shows only what is certainly a picture.
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

// cutAt is where a text is folded, or its length if folding is not worth it. It
// never splits a surrogate pair.
function cutAt(text, maxLines, maxChars) {
  let at = 0;
  for (let n = 0; n < maxLines && at >= 0; n++) at = text.indexOf('\n', at + (n > 0));
  let cut = at < 0 ? text.length : at;
  if (cut > maxChars) cut = maxChars;
  if (text.length - cut < 80 && text.length <= maxChars) return text.length;
  const c = text.charCodeAt(cut - 1);
  return c >= 0xd800 && c < 0xdc00 ? cut - 1 : cut;
}
