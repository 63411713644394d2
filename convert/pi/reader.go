package pi

import (
	"context"
	"crypto/sha256"
	"slices"
	"sort"

	"github.com/coppice-dev/coppice/convert"
	"github.com/coppice-dev/coppice/internal/codec"
	"github.com/coppice-dev/coppice/internal/lines"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/session"
)

// reader copies a file record by record. It handles damage the way opening such
// a file does (docs/format.md, Reading damaged files), so that the entries and
// their ids are the same either way.
type reader struct {
	sink  *convert.Sink
	blobs blobs
	any   bool // something was found

	header  []byte // nil: the file has none
	version int    // of the format; 0 without a header
	front   *record
	title   string // of oh-my-pi
	named   bool   // the session has its own name

	number int // of the next record; the header is 0 and lost records count
	lost   int // pieces that could not be read so far
	prev   string
	seen   map[string][]sum  // lines of each id so far
	now    map[string]string // ids that were used twice, with the new id of the newest entry
	placed []placed          // of format 1 only
}

type sum = [sha256.Size]byte

// record is one object of the file.
type record struct {
	raw    []byte
	head   lines.Head
	number int
	lost   int // pieces lost before it
}

// placed says which entry a record of format 1 became.
type placed struct {
	number int
	id     string
}

func newReader(to *convert.Sink, b blobs) *reader {
	return &reader{sink: to, blobs: b, number: 1, seen: map[string][]sum{}, now: map[string]string{}}
}

func (r *reader) line(ctx context.Context, line []byte) error {
	l := lines.Split(line)
	lost := 0
	for _, rec := range l.Records {
		r.lose(rec.Lost - lost)
		lost = rec.Lost
		x := record{raw: line[rec.Start:rec.End], head: rec.Head, number: r.number, lost: r.lost}
		r.number++
		if err := r.record(ctx, x); err != nil {
			return err
		}
	}
	r.lose(l.Lost - lost)
	return nil
}

func (r *reader) lose(pieces int) {
	for range pieces {
		r.sink.Skip("damaged line")
	}
	r.lost += pieces
	r.number += pieces
}

func (r *reader) record(ctx context.Context, x record) error {
	isHeader := rawjson.String(x.head.Type) == string(lines.TypeHeader)
	switch {
	case isHeader && !r.any:
		return r.begin(ctx, x)
	case isHeader:
		r.sink.Skip("second header")
		return nil
	case !r.any && r.front == nil && rawjson.String(x.head.ID) == "":
		r.front = &x // a title before the header, or an entry without one
		return nil
	case r.front != nil:
		first := *r.front
		r.front = nil
		if err := r.entry(ctx, first); err != nil {
			return err
		}
	}
	return r.entry(ctx, x)
}

// begin takes the header. What it has besides id, time and folder goes into
// entries if there is a type for it.
func (r *reader) begin(ctx context.Context, x record) error {
	r.any, r.header, r.number = true, x.raw, 1
	h, _ := session.ParseHeader(x.raw)
	r.version = h.Version
	if r.title = str(x.raw, "title"); r.title == "" && r.front != nil {
		r.title = str(r.front.raw, "title")
	}
	r.front = nil
	for name := range rawjson.Members(x.raw) {
		if !slices.Contains(headerMembers, name) {
			r.sink.Skip("header member " + name)
		}
	}
	if r.version > 1 {
		return nil
	}
	if model := str(x.raw, "modelId"); model != "" {
		if err := r.add(ctx, session.ModelDraft(str(x.raw, "provider"), model), x.raw); err != nil {
			return err
		}
	}
	if level := str(x.raw, "thinkingLevel"); level != "" {
		return r.add(ctx, session.ThinkingDraft(level), x.raw)
	}
	return nil
}

// headerMembers are the members that are imported, and those that can be
// ignored.
var headerMembers = []string{"type", "version", "id", "timestamp", "cwd", "parentSession", "branchedFrom",
	"provider", "modelId", "thinkingLevel", "title", "titleSource"}

// add adds an entry that we make, with the time of a record.
func (r *reader) add(ctx context.Context, d session.Draft, at []byte) error {
	d.Time = codec.DecodeTime(rawjson.Get(at, "timestamp"))
	e, err := r.sink.Add(ctx, d)
	r.prev = e.ID
	return err
}

// entry copies one entry.
func (r *reader) entry(ctx context.Context, x record) error {
	r.any = true
	id := rawjson.String(x.head.ID)
	if id == "" {
		id = lines.DerivedID(r.header, x.number, x.raw)
	}
	parent := r.parent(x, id)
	if r.repeated(id, parent, x.raw) {
		r.sink.Skip("line that repeats another")
		return nil
	}
	raw := r.translate(r.rename(r.migrate(x, id, parent), id))
	e, ok := session.ParseEntry(raw)
	if !ok || session.CheckAppend([]*session.Entry{e}) != nil {
		r.sink.Skip("damaged entry")
		return nil //nolint:nilerr // counted, and the import goes on
	}
	r.prev = e.ID
	_, named := e.Name()
	r.named = r.named || named
	return r.sink.Copy(ctx, e)
}

// rename gives an entry a new id if another entry has the same one, and makes
// what follows refer to it: a reference means the nearest earlier entry.
func (r *reader) rename(raw []byte, id string) []byte {
	for _, name := range []string{"targetId", "firstKeptEntryId", "fromId"} {
		if now, ok := r.now[str(raw, name)]; ok {
			raw = rawjson.Set(raw, name, rawjson.Quote(now))
		}
	}
	if len(r.seen[id]) > 1 {
		r.sink.Skip("id of another entry (a new one was given)")
		r.now[id] = lines.DerivedID(r.header, r.number, raw)
		raw = rawjson.Set(raw, "id", rawjson.Quote(r.now[id]))
	}
	return raw
}

// parent returns the parent of an entry: the one it names if that came before;
// if a line was lost that may have held it, the entry before; else none.
// Format 1 is a chain.
func (r *reader) parent(x record, id string) string {
	noID := rawjson.String(x.head.ID) == ""
	if x.head.ParentID == nil && (noID || r.version < 2) {
		return r.prev
	}
	named := rawjson.String(x.head.ParentID)
	switch {
	case named == "":
		return ""
	case named == id:
		return "" // never its own parent
	case r.now[named] != "":
		return r.now[named]
	case r.seen[named] != nil:
		return named
	case x.lost > 0:
		return r.prev
	}
	return ""
}

// repeated reports whether the same line already came under the same parent,
// and remembers it.
func (r *reader) repeated(id, parent string, raw []byte) bool {
	h := sha256.New()
	h.Write([]byte(parent + "\n"))
	h.Write(raw)
	s := sum(h.Sum(nil))
	if slices.Contains(r.seen[id], s) {
		return true
	}
	r.seen[id] = append(r.seen[id], s)
	return false
}

// migrate gives an entry the id and the parent that were found for it.
func (r *reader) migrate(x record, id, parent string) []byte {
	if r.version < 2 {
		r.placed = append(r.placed, placed{x.number, id})
	}
	old := r.version < 2 && (x.head.ParentID == nil || rawjson.String(x.head.Type) == string(session.TypeCompaction))
	switch {
	case rawjson.String(x.head.ID) == "" || old:
		return lines.Migrate(x.raw, id, parent, func(index int64) string { return r.firstKept(index, x.number) })
	case parent == rawjson.String(x.head.ParentID):
		return x.raw
	case parent == "":
		return rawjson.Set(x.raw, "parentId", []byte("null"))
	}
	return rawjson.Set(x.raw, "parentId", rawjson.Quote(parent))
}

// firstKept returns the entry that a record of format 1 became, or the next
// one if the record was lost. There is none for the header and for what comes
// later.
func (r *reader) firstKept(index int64, own int) string {
	if index <= 0 || index > int64(own) {
		return ""
	}
	k := sort.Search(len(r.placed), func(k int) bool { return int64(r.placed[k].number) >= index })
	return r.placed[k].id
}

// end writes the title if the session has no name.
func (r *reader) end(ctx context.Context) error {
	if r.title == "" || r.named {
		return r.sink.Flush(ctx)
	}
	d := session.NameDraft(r.title)
	if leaf := r.sink.Leaf(); leaf != nil {
		d.Time = leaf.Time
	}
	if _, err := r.sink.Add(ctx, d); err != nil {
		return err
	}
	return r.sink.Flush(ctx)
}
