package cli

import (
	"bufio"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/filestore"
)

// deleteFlags are the flags of delete.
type deleteFlags struct{ yes, permanent, json bool }

func (a *app) deleteCmd() *cobra.Command {
	var f deleteFlags
	cmd := command(groupLook, "delete SESSION", "Delete a session and everything that belongs to it",
		`Move a session file, and the folder of big outputs next to it, to the trash if
this machine has one (trash, trash-put or gio), otherwise delete it. It asks
first. A session that is open for writing somewhere is not deleted.`,
		"  coppice delete 019cad5c\n  coppice delete old.jsonl --yes", cobra.ExactArgs(1),
		func(cmd *cobra.Command, args []string) error {
			return a.delete(cmd.Context(), args[0], f)
		})
	cmd.Flags().BoolVarP(&f.yes, "yes", "y", false, "do not ask")
	cmd.Flags().BoolVar(&f.permanent, "permanent", false, "delete permanently, even if there is a trash")
	cmd.Flags().BoolVar(&f.json, "json", false, "print JSON; needs --yes")
	return cmd
}

// deleteJSON is the shape of `delete --json`.
type deleteJSON struct {
	Session string `json:"session"`
	File    string `json:"file"`
	Trashed bool   `json:"trashed"`
}

func (a *app) delete(ctx context.Context, ref string, f deleteFlags) error {
	if f.json && !f.yes {
		return usagef("--json cannot ask: add --yes")
	}
	s, err := a.open(ctx, ref, false)
	if err != nil {
		return err
	}
	title := a.titleOf(ctx, s)
	out := deleteJSON{Session: s.ID(), File: s.Ref()}
	if err := s.Close(); err != nil {
		return explain("read "+out.File, err)
	}
	var trash []string
	if !f.permanent {
		trash = findTrash()
	}
	if !f.yes && !a.confirm(out.File, title, trash) {
		a.say("nothing was deleted\n")
		return codeNothing
	}
	if out.Trashed = trash != nil; out.Trashed {
		err = a.moveToTrash(ctx, out.File, trash)
	} else {
		err = a.remove(ctx, out.File)
	}
	if err != nil {
		return err
	}
	a.printDeleted(out, f.json)
	return nil
}

const unreadableTitle = "(it cannot be read whole)"

// titleOf returns what people know a session by: its name, or the first
// message.
func (a *app) titleOf(ctx context.Context, s *coppice.Session) string {
	var first, named *session.Entry
	for e, err := range s.Log().All(ctx) {
		switch {
		case err != nil:
			return unreadableTitle // and can still be deleted
		case e.Type == session.TypeInfo:
			named = e
		case first == nil && e.Role() == message.RoleUser:
			first = e
		}
	}
	if named != nil {
		if name, _ := named.Name(); name != "" {
			return name
		}
	}
	if first != nil {
		if m, err := first.Message(); err == nil {
			return m.Text(" ")
		}
		return unreadableTitle
	}
	return "(nothing was said)"
}

// confirm asks on standard error. No answer means no.
func (a *app) confirm(file, title string, trash []string) bool {
	what := "delete permanently"
	if trash != nil {
		what = "move to the trash"
	}
	a.warn("%s: %s", file, short(title, a.previewWidth()))
	if link, err := os.Readlink(file); err == nil {
		a.warn("this is a link to %s: the link is deleted and the file stays", link)
	}
	_, _ = a.Err.Write([]byte(what + "? [y/N] "))
	answer, _ := bufio.NewReader(a.In).ReadString('\n')
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return true
	}
	return false
}

func (a *app) remove(ctx context.Context, path string) error {
	st, err := a.store()
	if err != nil {
		return err
	}
	return explain("delete "+path, st.Delete(ctx, path, session.Mode{Force: a.force}))
}

// findTrash is the command that moves files to the trash, or nil.
func findTrash() []string {
	for _, words := range [][]string{{"trash"}, {"trash-put"}, {"gio", "trash"}} {
		if program, err := exec.LookPath(words[0]); err == nil {
			return append([]string{program}, words[1:]...)
		}
	}
	return nil
}

// moveToTrash moves a session while holding its lock, so that no one writes to
// it meanwhile.
func (a *app) moveToTrash(ctx context.Context, path string, trash []string) error {
	log, err := a.openLog(ctx, path, true)
	if err != nil {
		return err
	}
	defer log.Close()
	args := append(trash[1:], path)
	if _, err := os.Stat(filestore.SideDir(path)); err == nil {
		args = append(args, filestore.SideDir(path))
	}
	said, err := exec.CommandContext(ctx, trash[0], args...).CombinedOutput()
	if err == nil {
		if _, err = os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		err = errors.New("the file is still there")
	}
	why := err.Error()
	if text := short(string(said), previewText); text != "" {
		why = text
	}
	return &failure{Code: codeFailed, What: "move " + path + " to the trash", Why: why, File: path, Try: "--permanent deletes it without the trash"}
}

func (a *app) printDeleted(d deleteJSON, asJSON bool) {
	switch {
	case asJSON:
		a.json(d)
	case d.Trashed:
		a.say("moved to the trash: %s\n", d.File)
	default:
		a.say("deleted: %s\n", d.File)
	}
}
