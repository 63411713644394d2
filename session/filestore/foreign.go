package filestore

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"github.com/coppice-dev/coppice/internal/lines"
	"github.com/coppice-dev/coppice/session"
	"github.com/google/uuid"
)

// Another agent that is using a file would continue from its own leaf, whatever
// we append. So a file that is not ours is not written to while another program
// writes to it. In our own folder its words are read in, and we continue after
// them.

// foreignQuiet is how long another program must not have written to a file
// before we do without force.
const foreignQuiet = 10 * time.Minute

// owns reports whether a path is in the store's own folder. Another agent's
// folder is never the store's own, whatever New was given.
func (s *store) owns(path string) bool {
	if s.root == "" || inAgentsFolder(s.root) || inAgentsFolder(path) {
		return false
	}
	rel, err := filepath.Rel(s.root, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// ours reports whether the file is in the store's own folder, and not one that
// another agent keeps there.
func (l *openLog) ours() bool { return l.store.owns(l.path) && !l.isAgents() }

// isAgents reports whether the file is where another agent keeps it: in a folder
// with a known name, or wherever that agent's settings have moved it, under the
// name that the agent has made from the header.
func (l *openLog) isAgents() bool {
	path := realPath(l.path)
	return inAgentsFolder(path) || namedByAgent(path, l.header)
}

// inAgentsFolder reports whether a path is in another agent's folder, or is one.
func inAgentsFolder(path string) bool {
	for part := range strings.SplitSeq(realPath(path), string(filepath.Separator)) {
		switch part {
		case ".pi", ".omp", ".openclaw", ".clawdbot", ".claude", ".codex", ".gemini", ".crush", ".opencode":
			return true
		}
	}
	return false
}

// namedByAgent reports whether a file has the name that an agent gives to the
// session with this header: pi and oh-my-pi <timestamp>_<id>.jsonl, openclaw
// <id>.jsonl. We give the first one too, but only in the folder of a project.
func namedByAgent(path string, h session.Header) bool {
	dir, name := filepath.Split(path)
	if name == h.ID+".jsonl" {
		return uuid.Validate(h.ID) == nil
	}
	return h.ID != "" && name == fileName(h) && filepath.Base(dir) != projectDir(h.Cwd)
}

func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// checkForeign fails if another agent is using the file that is being opened: it
// is, or may be under another name (a hard link), that agent's, has changed
// recently, and its last entry is not ours. A file in any other folder was perhaps
// only copied there a moment ago.
func (l *openLog) checkForeign(ctx context.Context) error {
	if l.ours() || !l.isAgents() && !hasOtherNames(l.info) || l.quiet(l.info.ModTime()) {
		return nil
	}
	last, err := l.Leaf(ctx)
	if err != nil || last == nil || l.wrote(last) {
		return err
	}
	return l.wrap(session.ErrForeignActive)
}

// checkGrowth fails if another program has written to the open file recently, and
// the file is not ours.
func (l *openLog) checkGrowth() error {
	if l.mode.Force || l.grownAt.IsZero() || l.quiet(l.grownAt) || l.ours() {
		return nil
	}
	return l.wrap(session.ErrForeignActive)
}

// noteGrowth keeps when another program wrote entries to the open file. Those
// with ids of ours are from appends that failed, or from another Coppice.
func (l *openLog) noteGrowth(entries []*session.Entry, at time.Time) {
	for _, e := range entries {
		if !l.wrote(e) {
			l.grownAt = at
		}
	}
}

func (l *openLog) quiet(since time.Time) bool { return l.store.opts.Now().Sub(since) >= foreignQuiet }

// wrote reports whether an entry is one that Coppice wrote, by its id. Ids that
// are derived from their lines, because the file has none, only look like that.
func (l *openLog) wrote(e *session.Entry) bool {
	i, ok := l.x.position(e.ID, e.At)
	return ok && l.header.Version >= 2 && !l.x.recs[i].noID && lines.IsOwnID(e.ID)
}
