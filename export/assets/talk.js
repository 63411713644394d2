// The conversation, in chunks that are filled when they come into view.

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

// seenRows returns the rows of a message of the view; an unfolded summary shows what it replaces.
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

// showRow scrolls a row to the top. Heights are guesses until rows are drawn,
// so it scrolls again, frame by frame, until the row stays there.
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
