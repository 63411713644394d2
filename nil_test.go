package coppice_test

import (
	"context"
	"errors"
	"iter"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/agent"
	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/hook"
	"github.com/coppice-dev/coppice/internal/guard"
	"github.com/coppice-dev/coppice/internal/shape"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/filestore"
	"github.com/coppice-dev/coppice/session/memstore"
	"github.com/coppice-dev/coppice/timeline"
)

// nothing calls f with nil for each of its pointers, interfaces and functions,
// but with ctx for its context, and returns the errors it gives.
func nothing(t *testing.T, name string, f reflect.Value, ctx context.Context) (errs []error) {
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("%s: panics: %v", name, p)
		}
	}()
	typ := f.Type()
	var args []reflect.Value
	for i := range typ.NumIn() {
		switch in := typ.In(i); {
		case typ.IsVariadic() && i == typ.NumIn()-1:
		case in == reflect.TypeFor[context.Context]() && ctx != nil:
			args = append(args, reflect.ValueOf(ctx))
		default:
			args = append(args, reflect.Zero(in))
		}
	}
	for _, out := range f.Call(args) {
		if err, ok := out.Interface().(error); ok {
			errs = append(errs, err)
		}
		if out.Kind() == reflect.Func && !out.IsNil() && out.Type().CanSeq2() {
			for _, v := range out.Seq2() {
				if err, ok := v.Interface().(error); ok {
					errs = append(errs, err)
				}
			}
		}
	}
	return errs
}

// What is passed nil says so in its error, and does not panic.
func TestNilArguments(t *testing.T) {
	ctx := t.Context()
	s := inMemory(t, coppice.Options{Model: bad{do: func() error { return errBroken }}})
	talk(t, s, 3)
	files := filestore.New(t.TempDir(), filestore.Options{})
	log := must.Get(files.Create(ctx, session.Header{Cwd: "/"}))
	inFile := session.New(log, session.Options{})
	must.Get(inFile.Append(ctx, session.MessageDraft(message.User("hello"))))
	a := must.Get(agent.New(agent.Config{Session: s}))
	funcs := map[string]any{
		"coppice.Open": coppice.Open, "coppice.OpenIn": coppice.OpenIn, "coppice.Create": coppice.Create, "coppice.CreateIn": coppice.CreateIn,
		"coppice.InMemory": coppice.InMemory, "coppice.New": coppice.New, "coppice.Load": coppice.Load, "agent.New": agent.New,
		"session.Whole": session.Whole, "session.Branch": session.Branch, "session.Fork": session.Fork, "session.ForkTo": session.ForkTo,
		"session.ReadTree": session.ReadTree, "shape.Read": shape.Read, "session.New": session.New,
		"timeline.Project": timeline.Project,
	}
	for name, v := range map[string]any{
		"coppice.Session": s, "agent": a, "session.Session": inFile, "session.New(nil)": session.New(nil, session.Options{}),
		"hook.Bus": hook.New(hook.Options{}), "no hook.Bus": (*hook.Bus)(nil), "message.Usage": new(message.Usage),
		"filestore": files, "memstore": memstore.New(nil), "log": log, "compaction.Compactor": &compaction.Compactor{Session: inFile}, "zero Compactor": &compaction.Compactor{},
	} {
		for i := range reflect.TypeOf(v).NumMethod() {
			if method := reflect.TypeOf(v).Method(i).Name; !slices.Contains([]string{"Close", "ToolRunning", "ReadTree"}, method) {
				funcs[name+"."+method] = reflect.ValueOf(v).Method(i).Interface()
			}
		}
	}
	for name, f := range funcs {
		for _, ctx := range []context.Context{ctx, nil} {
			for _, err := range nothing(t, name, reflect.ValueOf(f), ctx) {
				var p *guard.Panic
				switch {
				case errors.As(err, &p) || strings.Contains(err.Error(), "runtime error"):
					t.Errorf("%s: %v", name, err)
				case ctx == nil && strings.HasPrefix(name, "coppice.Session.") && takesContext(f) && !errors.Is(err, session.ErrNil) && !strings.HasSuffix(name, "SetThinking"):
					t.Errorf("%s without a context: %v", name, err)
				}
			}
		}
	}
}

func takesContext(f any) bool {
	typ := reflect.TypeOf(f)
	return typ.NumIn() > 0 && typ.In(0) == reflect.TypeFor[context.Context]()
}

// Where nil means that there is none, nothing is done.
func TestNilIsNothing(t *testing.T) {
	u := message.Usage{Input: 3}
	if u.Add(nil); u.Input != 3 || u.Total() != 3 {
		t.Errorf("%+v", u)
	}
	if h := hook.New(hook.Options{}).CompactionHooks(nil); h.BeforeCompact != nil || h.Compacting != nil || h.BeforeTree != nil {
		t.Error("there are hooks for no session")
	}
}

// Each kind of missing value is an error that a caller can tell.
func TestNilIsTyped(t *testing.T) {
	ctx := t.Context()
	var noContext context.Context
	s := inMemory(t, coppice.Options{})
	talk(t, s, 1)
	for name, f := range map[string]func() error{
		"a store":                 func() error { _, err := coppice.CreateIn(ctx, nil, session.Header{}, coppice.Options{}); return err },
		"a log":                   func() error { _, err := coppice.New(nil, coppice.Options{}); return err },
		"a context":               func() error { _, err := coppice.InMemory(noContext, coppice.Options{}); return err },
		"to fork into":            func() error { _, err := s.Fork(ctx, nil, nil); return err },
		"a writer":                func() error { _, err := s.ForkTo(ctx, nil, false, nil); return err },
		"a plan":                  func() error { _, err := s.Losses(ctx, nil); return err },
		"a view":                  func() error { return s.Settle(ctx, nil) },
		"a view that no one made": func() error { _, err := s.Measure(ctx, &timeline.View{}); return err },
		"the plan of such a view": func() error {
			_, err := compaction.MakePlan(compaction.PlanInput{View: &timeline.View{}})
			return err
		},
		"a view to plan over":        func() error { _, err := compaction.MakePlan(compaction.PlanInput{}); return err },
		"a notice":                   func() error { return hook.New(hook.Options{}).Inform(ctx, nil) },
		"a store that makes no log":  func() error { _, err := s.Fork(ctx, badStore{do: func() error { return nil }}, nil); return err },
		"the log of a session":       func() error { _, err := session.New(nil, session.Options{}).Leaf(ctx); return err },
		"the session of a compactor": func() error { _, err := new(compaction.Compactor).Compact(ctx, compaction.Request{}); return err },
		"a stream": func() error {
			var stream iter.Seq2[message.Event, error]
			_, err := s.Answer(ctx, stream)
			return err
		},
	} {
		if err := f(); !errors.Is(err, session.ErrNil) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
