package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/coppice-dev/coppice/internal/safetext"
	"github.com/go-json-experiment/json/jsontext"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxTools bounds how many tools of one server are listed.
const maxTools = 1000

// connection is a running server.
type connection struct {
	session *sdk.ClientSession
	record  *recorder
	// end ends the server's process or stream, so that nothing waits for it;
	// nil: there is nothing to end.
	end func()
	// said returns the end of what the server wrote to standard error; nil:
	// nothing.
	said func() string

	// Under client.mu:
	changed bool // the server has said that its tools changed
	listing bool // they are being listed again
}

// tool is a tool as its server describes it.
type tool struct {
	name, description string
	schema            jsontext.Value
}

// dial connects to the server and does the handshake.
func (c *client) dial(ctx context.Context) (*connection, error) {
	conn := &connection{record: &recorder{}}
	transport, err := c.transport(ctx, conn)
	if err != nil {
		return nil, conn.explain(err)
	}
	options := &sdk.ClientOptions{
		Capabilities:           &sdk.ClientCapabilities{},
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { go c.relist(conn) },
	}
	self := &sdk.Implementation{Name: "coppice", Version: cmp.Or(c.opts.Version, "unknown")}
	conn.session, err = within(ctx, func() (*sdk.ClientSession, error) {
		return sdk.NewClient(self, options).Connect(ctx, transport, nil)
	})
	if err != nil {
		conn.close()
		return nil, conn.explain(err)
	}
	return conn, nil
}

// transport opens the way to the server.
func (c *client) transport(ctx context.Context, conn *connection) (sdk.Transport, error) {
	s, err := expand(c.server, c.opts.Getenv)
	switch {
	case err != nil:
		return nil, err
	case s.Dial != nil:
		stream, err := s.Dial(ctx)
		if err != nil {
			return nil, err
		}
		conn.end = func() { _ = stream.Close() } // its remaining output is ignored
		return lineTransport(stream, stream, conn.record), nil
	case s.URL != "":
		return httpTransport(s, conn.record)
	case s.Command == "":
		return nil, errors.New("it has neither a command nor a url")
	}
	p, err := startProcess(s, c.opts.Dir, environment(c.opts.Getenv, s.Env))
	if err != nil {
		return nil, err
	}
	conn.end, conn.said = p.end, p.stderr.String
	return lineTransport(p.stdout, p.stdin, conn.record), nil
}

// list asks for the tools, with their schemas as the server wrote them.
func (conn *connection) list(ctx context.Context) ([]tool, error) {
	conn.record.start()
	listed, err := within(ctx, func() ([]*sdk.Tool, error) {
		var out []*sdk.Tool
		for t, err := range conn.session.Tools(ctx, nil) {
			if err != nil {
				return nil, err
			}
			if out = append(out, t); len(out) > maxTools {
				return nil, fmt.Errorf("more than %d tools", maxTools)
			}
		}
		return out, nil
	})
	written := conn.record.stop()
	if err != nil {
		return nil, err
	}
	var out []tool
	for _, t := range listed {
		schema, ok := written[t.Name]
		if !ok { // the transport has hidden it, so the order of names is lost
			if schema, err = json.Marshal(t.InputSchema); err != nil {
				return nil, fmt.Errorf("schema of %s: %w", t.Name, err)
			}
		}
		out = append(out, tool{t.Name, safetext.Sanitize(t.Description), schema})
	}
	return out, nil
}

// close ends the connection and waits for the server's end. It may be called
// again.
func (conn *connection) close() {
	if conn.session == nil {
		conn.stop()
		return
	}
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		_ = conn.session.Close() // it is abandoned in any case
	}()
	conn.stop()                  // otherwise ending the session could wait for one that does not read
	wait := time.NewTimer(grace) // a hanging server at an address is abandoned
	defer wait.Stop()
	select {
	case <-closed:
	case <-wait.C:
	}
}

func (conn *connection) stop() {
	if conn.end != nil {
		conn.end()
	}
}

// explain adds the server's last output to an error. That is complete once the
// connection has been closed.
func (conn *connection) explain(err error) error {
	if conn.said == nil {
		return err
	}
	said := strings.TrimSpace(conn.said())
	if said == "" {
		return err
	}
	return fmt.Errorf("%w; its last output: %s", err, safetext.Sanitize(said))
}

// lineTransport speaks JSON lines.
func lineTransport(in io.ReadCloser, out io.WriteCloser, r *recorder) sdk.Transport {
	return &sdk.IOTransport{Reader: newLines(r.tee(in)), Writer: out}
}
