package coppice_test

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/agent"
	"github.com/coppice-dev/coppice/agent/mcp"
	"github.com/coppice-dev/coppice/agent/tools"
	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/convert"
	"github.com/coppice-dev/coppice/convert/claudecode"
	"github.com/coppice-dev/coppice/convert/codex"
	"github.com/coppice-dev/coppice/convert/crush"
	"github.com/coppice-dev/coppice/convert/gemini"
	"github.com/coppice-dev/coppice/convert/opencode"
	"github.com/coppice-dev/coppice/convert/pi"
	"github.com/coppice-dev/coppice/hook"
	"github.com/coppice-dev/coppice/internal/render"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/internal/turn"
	"github.com/coppice-dev/coppice/ledger"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider"
	"github.com/coppice-dev/coppice/provider/fake"
	"github.com/coppice-dev/coppice/prune"
	"github.com/coppice-dev/coppice/recall"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/filestore"
	"github.com/coppice-dev/coppice/session/memstore"
	"github.com/coppice-dev/coppice/settings"
	"github.com/coppice-dev/coppice/summarize"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/tokens"
	"github.com/coppice-dev/coppice/wire"
	"github.com/coppice-dev/coppice/wire/anthropic"
	wiregemini "github.com/coppice-dev/coppice/wire/gemini"
	"github.com/coppice-dev/coppice/wire/openai"
	"github.com/coppice-dev/coppice/wire/responses"
)

// zeros are zero values of all exported types with methods.
var zeros = []any{
	new(coppice.DoesNotFitError), new(coppice.MessageError), new(coppice.Meter), new(coppice.Options), new(coppice.Prepared),
	new(coppice.RequestError), new(coppice.Session),
	new(agent.Agent), new(agent.InputError), new(agent.LimitError), new(agent.Limits), new(agent.Settings), new(agent.StuckError), new(agent.Used), new(mcp.Server), new(mcp.Servers),
	new(tools.Guard), new(tools.Rule), new(tools.Rules), new(tools.Verdict),
	new(compaction.BeforeCompact), new(compaction.BranchSettings), new(compaction.Compactor),
	new(compaction.Floor), new(compaction.Override), new(compaction.Plan), new(compaction.PlanInput), new(compaction.Settings),
	new(convert.Sink), new(convert.Source), new(claudecode.Importer), new(codex.Importer), new(crush.Importer), new(gemini.Importer),
	new(opencode.Importer), new(pi.Importer),
	new(ledger.Coverage), new(hook.Bus), new(hook.CompactFailed), new(hook.Compacted), new(hook.Event), new(hook.Failure), new(hook.Lifecycle), new(hook.Moved),
	new(hook.Program), new(hook.Untrusted),
	new(message.Class), new(message.Fault), new(message.Message), new(message.Model), new(message.Usage),
	new(provider.Bound), new(provider.Catalog), new(provider.Client), new(provider.Config), new(provider.Limits), new(provider.Pattern),
	new(provider.ProviderConfig), new(provider.Registry), new(provider.Retry), new(provider.Secret), new(provider.Type),
	new(fake.Request), new(fake.Server),
	new(prune.Edit), new(prune.Settings), new(recall.RangeError), new(render.Step),
	new(session.AmbiguousError), new(session.Entry), new(session.Header), new(session.Info), new(session.LockedError),
	new(session.Meta), new(session.Reader), new(session.Session), new(session.Tree), new(filestore.Settings), new(filestore.Sync),

	new(settings.Problem), new(settings.Source),
	new(summarize.Ladder), new(summarize.Remote), new(summarize.Request), new(summarize.Settings),
	new(timeline.Earlier), new(timeline.Item), new(timeline.OpenCalls), new(coppice.PinTooLargeError), new(timeline.Prompt), new(timeline.Size), new(timeline.Sizer), new(timeline.View),
	new(tokens.Default), new(tokens.Plain), new(turn.Conversation), new(wire.Problem),
	new(anthropic.Dialect), new(wiregemini.Dialect), new(openai.Dialect), new(responses.Dialect),
}

// home is the root of the module.
var home string

// Sessions, agents and requests that no one made fail, and do not panic.
func TestNilReceiversAreSafe(t *testing.T) {
	for _, typ := range []reflect.Type{reflect.TypeFor[*coppice.Session](), reflect.TypeFor[*coppice.Prepared](), reflect.TypeFor[*agent.Agent]()} {
		for i := range typ.NumMethod() {
			if p := panicOf(reflect.Zero(typ), typ.Method(i)); p != nil {
				t.Errorf("(%s)(nil).%s: %v", typ, typ.Method(i).Name, p)
			}
		}
	}
	ctx := t.Context()
	for _, s := range []*coppice.Session{nil, {}} {
		_, err := s.Say(ctx, message.User("hi"))
		if !errors.Is(err, coppice.ErrNoSession) || s.ID() != "" || s.Ref() != "" || s.Log() != nil || s.Model() != nil || s.Hooks() != nil || s.Close() != nil {
			t.Errorf("nil: %t: %v", s == nil, err)
		}
		s.ToolRunning()()
	}
	for _, a := range []*agent.Agent{nil, {}} {
		for name, run := range map[string]iter.Seq2[agent.Event, error]{"Run": a.Run(ctx, "hi"), "Resume": a.Resume(ctx), "Compact": a.Compact(ctx, "")} {
			n := 0
			for ev, err := range run {
				if n++; !errors.Is(err, coppice.ErrNoSession) || ev.Type != agent.EventError || !strings.Contains(ev.Error, "agent.New") {
					t.Errorf("%s: %+v, %v", name, ev, err)
				}
			}
			if n != 1 {
				t.Errorf("%s: %d events", name, n)
			}
		}
		if _, err := a.Navigate(ctx, compaction.Navigation{}, nil); !errors.Is(err, coppice.ErrNoSession) || a.Queue(agent.Steer, "x") != 0 || a.Finish() != nil {
			t.Errorf("nil: %t: %v", a == nil, err)
		}
		a.Close()
	}
	for _, p := range []*coppice.Prepared{nil, {}} {
		for _, err := range p.Stream(ctx) {
			if err == nil || !strings.Contains(err.Error(), "no model") {
				t.Error(err)
			}
		}
	}
}

// Every exported method is safe on the zero value, or the type's doc says that
// the zero value is not usable.
func TestZeroValuesAreSafe(t *testing.T) {
	home = must.Get(os.Getwd())
	t.Chdir(t.TempDir())
	for _, zero := range zeros {
		typ := reflect.TypeOf(zero).Elem()
		if warns(t, typ) {
			continue
		}
		for i := range reflect.TypeOf(zero).NumMethod() {
			m := reflect.TypeOf(zero).Method(i)
			if p := panicOf(reflect.New(typ), m); p != nil {
				t.Errorf("(%s).%s: %v", typ, m.Name, p)
			}
		}
	}
}

// panicOf is what a method panics with; nil: it does not.
func panicOf(v reflect.Value, m reflect.Method) (p any) {
	defer func() { p = recover() }()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	args := []reflect.Value{v}
	for i := 1; i < m.Type.NumIn(); i++ {
		if i == m.Type.NumIn()-1 && m.Type.IsVariadic() {
			break
		}
		args = append(args, argument(ctx, m.Type.In(i)))
	}
	for _, out := range m.Func.Call(args) {
		if out.Kind() == reflect.Func && !out.IsNil() && out.Type().NumIn() == 1 { // a sequence
			for range out.Seq2() {
				break
			}
		}
	}
	return nil
}

// argument makes a simple argument of a type.
func argument(ctx context.Context, typ reflect.Type) reflect.Value {
	log := must.Get(memstore.New(nil).Create(ctx, session.Header{}))
	s := session.New(log, session.Options{})
	for _, plain := range []any{ctx, log, s, tokens.Estimator(tokens.Default{}), hook.Lifecycle{}, strings.NewReader(""), convert.NewSink(s), convert.Source{Path: "x", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("")), nil }}} {
		if reflect.TypeOf(plain).AssignableTo(typ) && typ != reflect.TypeFor[any]() {
			return reflect.ValueOf(plain)
		}
	}
	switch typ.Kind() {
	case reflect.Pointer:
		return reflect.New(typ.Elem())
	case reflect.Func:
		return reflect.MakeFunc(typ, func([]reflect.Value) []reflect.Value {
			var out []reflect.Value
			for i := range typ.NumOut() {
				out = append(out, reflect.Zero(typ.Out(i)))
			}
			return out
		})
	}
	return reflect.Zero(typ)
}

// warns reports whether the doc of a type says that its zero value is not usable.
func warns(t *testing.T, typ reflect.Type) bool {
	t.Helper()
	dir := strings.TrimPrefix(strings.TrimPrefix(typ.PkgPath(), module), "/")
	files, err := filepath.Glob(filepath.Join(home, dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range g.Specs {
				if s, ok := spec.(*ast.TypeSpec); ok && s.Name.Name == typ.Name() {
					text := strings.Join(strings.Fields(g.Doc.Text()+s.Doc.Text()), " ")
					return strings.Contains(text, "zero value is not usable")
				}
			}
		}
	}
	return false
}

// The list is complete.
func TestZerosAreAllTypes(t *testing.T) {
	have := map[string]bool{}
	for _, z := range zeros {
		typ := reflect.TypeOf(z).Elem()
		have[typ.PkgPath()+"."+typ.Name()] = true
	}
	api, err := os.ReadFile("testdata/api.txt")
	if err != nil {
		t.Fatal(err)
	}
	method := regexp.MustCompile(`, method \(\*?([A-Z]\w*)`)
	pkg := ""
	for line := range strings.Lines(string(api)) {
		if p, ok := strings.CutPrefix(line, "package "); ok {
			pkg = strings.TrimSpace(p)
		} else if m := method.FindStringSubmatch(line); m != nil && !have[pkg+"."+m[1]] {
			t.Errorf("%s.%s has methods and is not in the list", pkg, m[1])
			have[pkg+"."+m[1]] = true
		}
	}
}
