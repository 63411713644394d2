package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/coppice-dev/coppice/agent"
	"github.com/go-json-experiment/json/jsontext"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// client is one server, across all its starts.
type client struct {
	server Server
	opts   Options

	dialing sync.Mutex // one start at a time

	mu     sync.Mutex
	live   *connection // nil: not connected
	tools  []tool      // as last listed
	closed bool
}

// Why a start or a call was given up.
var (
	errSlowStart = errors.New("it took too long to start")
	errSlowCall  = errors.New("it took too long to answer, and was stopped")
)

// connected returns the connection to the server, and starts the server if it
// is not running.
func (c *client) connected(ctx context.Context) (*connection, error) {
	c.dialing.Lock()
	defer c.dialing.Unlock()
	c.mu.Lock()
	live, closed := c.live, c.closed
	c.mu.Unlock()
	if closed {
		return nil, errClosed
	}
	if live != nil {
		return live, nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, c.server.StartLimit, errSlowStart)
	defer cancel()
	conn, tools, err := c.start(ctx)
	if err != nil {
		c.report(Event{State: Failed, Error: err.Error()})
		return nil, err
	}
	c.mu.Lock()
	changed, closed := conn.changed, c.closed
	if !closed {
		c.live, c.tools = conn, tools
	}
	c.mu.Unlock()
	if closed { // meanwhile
		conn.close()
		return nil, errClosed
	}
	c.report(Event{State: Ready, Tools: len(tools)})
	go c.watch(conn)
	if changed {
		go c.relist(conn)
	}
	return conn, nil
}

func (c *client) start(ctx context.Context) (*connection, []tool, error) {
	conn, err := c.dial(ctx)
	if err != nil {
		return nil, nil, err
	}
	tools, err := conn.list(ctx)
	if err != nil {
		conn.close()
		return nil, nil, conn.explain(fmt.Errorf("list its tools: %w", err))
	}
	return conn, tools, nil
}

// watch notes when a connection ends by itself.
func (c *client) watch(conn *connection) {
	err := conn.session.Wait()
	if c.drop(conn) {
		if err == nil {
			err = errors.New("it ended")
		}
		conn.close()
		c.report(Event{State: Ended, Error: conn.explain(err).Error()})
	}
}

// drop forgets a connection. It reports false if that has already happened.
func (c *client) drop(conn *connection) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.live != conn {
		return false
	}
	c.live = nil
	return true
}

// relist lists the tools again when the server says that they changed. Further
// such messages meanwhile cause one more listing.
func (c *client) relist(conn *connection) {
	c.mu.Lock()
	defer c.mu.Unlock()
	conn.changed = true
	if c.live != conn || conn.listing { // the code that starts or lists will see it
		return
	}
	conn.listing = true
	for conn.changed && c.live == conn {
		conn.changed = false
		c.mu.Unlock()
		tools, err := c.listAgain(conn)
		c.mu.Lock()
		if c.live != conn {
			break
		}
		e := Event{State: Failed}
		if err == nil {
			c.tools = tools
			e = Event{State: Changed, Tools: len(tools)}
		} else {
			e.Error = conn.explain(fmt.Errorf("list its tools: %w", err)).Error()
		}
		c.mu.Unlock()
		c.report(e)
		c.mu.Lock()
	}
	conn.listing = false
}

func (c *client) listAgain(conn *connection) ([]tool, error) {
	ctx, cancel := context.WithTimeoutCause(context.Background(), c.server.StartLimit, errSlowCall)
	defer cancel()
	return conn.list(ctx)
}

func (c *client) offered() []tool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tools
}

// call calls a tool. A server that does not answer in time is stopped.
func (c *client) call(ctx context.Context, name string, arguments jsontext.Value) (agent.Result, error) {
	conn, err := c.connected(ctx)
	if err != nil {
		return agent.Result{}, fmt.Errorf("mcp server %s: %w", c.server.Name, err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, c.server.CallLimit, errSlowCall)
	defer cancel()
	res, err := within(ctx, func() (*sdk.CallToolResult, error) {
		return conn.session.CallTool(ctx, &sdk.CallToolParams{Name: name, Arguments: json.RawMessage(arguments)})
	})
	if err == nil {
		return result(res), nil
	}
	if errors.Is(err, errSlowCall) || errors.Is(err, io.EOF) || errors.Is(err, sdk.ErrConnectionClosed) {
		dropped := c.drop(conn)
		conn.close() // so that its last output is available
		err = conn.explain(err)
		if dropped {
			c.report(Event{State: Ended, Error: err.Error()})
		}
	}
	return agent.Result{}, fmt.Errorf("mcp server %s: %w", c.server.Name, err)
}

func (c *client) close() {
	c.mu.Lock()
	live := c.live
	c.live, c.closed = nil, true
	c.mu.Unlock()
	if live != nil {
		live.close()
	}
}

func (c *client) report(e Event) {
	e.Type, e.Server = "mcp_server", c.server.Name
	c.opts.Report(e)
}

// within runs f and returns early, with the cause, when ctx ends, because a
// write to a server that does not read ignores the context. f ends with the
// connection.
func within[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type answer struct {
		v   T
		err error
	}
	done := make(chan answer, 1)
	go func() {
		v, err := f()
		done <- answer{v, err}
	}()
	select {
	case a := <-done:
		if a.err != nil && ctx.Err() != nil {
			return a.v, context.Cause(ctx)
		}
		return a.v, a.err
	case <-ctx.Done():
		var zero T
		return zero, context.Cause(ctx)
	}
}
