package crush

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/coppice-dev/coppice/convert"
	"github.com/coppice-dev/coppice/session"
	_ "modernc.org/sqlite" // the driver "sqlite"
)

// database is a file of Crush, open for reading.
type database struct{ *sql.DB }

// open opens a database so that nothing is written to it or next to it. A
// database in use has a log next to it with the newest rows; to see those,
// SQLite has to share its index with the agent that is writing.
func open(ctx context.Context, path string) (*database, error) {
	params := "mode=ro&_pragma=trusted_schema(0)&_pragma=query_only(1)"
	if wal, err := os.Stat(path + "-wal"); err != nil || wal.Size() == 0 {
		params += "&immutable=1"
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	name := filepath.ToSlash(abs)
	if !strings.HasPrefix(name, "/") {
		name = "/" + name // a drive letter
	}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: name, RawQuery: params}).String())
	if err != nil {
		return nil, err
	}
	d := &database{db}
	var one int
	if err := db.QueryRowContext(ctx, "SELECT 1 FROM sqlite_master WHERE name = 'messages'").Scan(&one); err != nil {
		db.Close()
		if errors.Is(err, sql.ErrNoRows) {
			err = errors.New("no table of messages")
		}
		return nil, fmt.Errorf("%s: %w: %w", path, convert.ErrNotOurs, err)
	}
	return d, nil
}

// chat is a session of the database.
type chat struct {
	id, title string
	created   time.Time
	messages  int64
	summary   string // id of the message that replaces all before it; "": none

	// Of the latest call: the database does not count tokens per message.
	promptTokens, outputTokens int64
	cost                       float64

	answer string // id of the last answer
}

// pick finds the session with the id, or the only one whose id begins with it;
// "" means the newest session without a parent.
func (d *database) pick(ctx context.Context, id string) (chat, error) {
	query, args := "SELECT * FROM sessions WHERE parent_session_id IS NULL OR parent_session_id = '' ORDER BY updated_at DESC, rowid DESC LIMIT 1", []any{}
	if id != "" {
		query, args = "SELECT * FROM sessions WHERE substr(id, 1, length(?1)) = ?1 ORDER BY id", []any{id}
	}
	var found []chat
	var ids []string
	for row, err := range d.rows(ctx, query, args...) {
		if err != nil {
			return chat{}, err
		}
		s := chatOf(row)
		if found, ids = append(found, s), append(ids, s.id); s.id == id {
			found = []chat{s} // the exact id wins over longer ones
			break
		}
	}
	switch len(found) {
	case 0:
		return chat{}, fmt.Errorf("session %q: %w", id, convert.ErrNoSession)
	case 1:
		err := d.lastAnswer(ctx, &found[0])
		return found[0], err
	}
	return chat{}, &session.AmbiguousError{Prefix: id, Candidates: ids}
}

func chatOf(r row) chat {
	s := chat{id: r.str("id"), title: r.str("title"), created: r.time("created_at"), messages: r.int("message_count"),
		summary: r.str("summary_message_id"), promptTokens: r.int("prompt_tokens"), outputTokens: r.int("completion_tokens")}
	s.cost, _ = r["cost"].(float64)
	return s
}

func (d *database) lastAnswer(ctx context.Context, s *chat) error {
	err := d.QueryRowContext(ctx, "SELECT id FROM messages WHERE session_id = ? AND role = 'assistant' ORDER BY created_at DESC, rowid DESC LIMIT 1", s.id).Scan(&s.answer)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	return err
}

// messages walks the messages of a session. Their times are whole seconds, so
// the order of writing breaks ties.
func (d *database) messages(ctx context.Context, id string) iter.Seq2[row, error] {
	return d.rows(ctx, "SELECT * FROM messages WHERE session_id = ? ORDER BY created_at, rowid", id)
}

// countRest counts what belongs to the project but not to the conversation.
func (d *database) countRest(ctx context.Context, s chat, to *convert.Sink) error {
	for row, err := range d.rows(ctx, "SELECT parent_session_id FROM sessions WHERE id <> ?", s.id) {
		switch {
		case err != nil:
			return err
		case row.str("parent_session_id") == "":
			to.Skip("other session")
		case row.str("parent_session_id") == s.id:
			to.Skip("subagent session")
		}
	}
	for _, err := range d.rows(ctx, "SELECT 1 FROM files WHERE session_id = ?", s.id) {
		if err != nil {
			return nil // not every version has this table
		}
		to.Skip("version of a file")
	}
	return nil
}

// row is a row by column name. Later versions have more columns.
type row map[string]any

func (r row) str(name string) string {
	switch v := r[name].(type) {
	case string:
		return v
	case []byte:
		return string(v)
	}
	return ""
}

func (r row) int(name string) int64 {
	n, _ := r[name].(int64)
	return n
}

// time reads a time, which old versions keep in milliseconds and new ones in
// seconds.
func (r row) time(name string) time.Time {
	const seconds = 100_000_000_000 // the year 5138 in seconds, 1973 in milliseconds
	switch n := r.int(name); {
	case n == 0:
		return time.Time{}
	case n < seconds:
		return time.Unix(n, 0).UTC()
	default:
		return time.UnixMilli(n).UTC()
	}
}

func (d *database) rows(ctx context.Context, query string, args ...any) iter.Seq2[row, error] {
	return func(yield func(row, error) bool) {
		rows, err := d.QueryContext(ctx, query, args...)
		if err != nil {
			yield(nil, err)
			return
		}
		defer rows.Close()
		names, err := rows.Columns()
		if err != nil {
			yield(nil, err)
			return
		}
		values := make([]any, len(names))
		places := make([]any, len(names))
		for i := range values {
			places[i] = &values[i]
		}
		for rows.Next() {
			if err := rows.Scan(places...); err != nil {
				yield(nil, err)
				return
			}
			r := row{}
			for i, name := range names {
				r[name] = values[i]
			}
			if !yield(r, nil) {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(nil, err)
		}
	}
}
