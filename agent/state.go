package agent

import (
	"strconv"

	"github.com/coppice-dev/coppice/internal/jsonw"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/timeline"
)

// state is what a session remembers of its runs (entries coppice.state,
// spec/session-log.md). It is written together with the next message, never
// alone.
type state struct {
	Failures int   // automatic compactions that failed in a row
	Auto     *bool // switched by the user for this session; nil: as the settings say
}

// draft is the state as an entry of the log.
func (s state) draft() session.Draft {
	var data, body jsonw.Object
	data.Int("failures", int64(s.Failures))
	if s.Auto != nil {
		data.Raw("autocompact", strconv.AppendBool(nil, *s.Auto))
	}
	body.Str("customType", session.CustomState)
	body.Raw("data", data.Bytes())
	return session.Draft{Type: session.TypeCustom, Body: body.Bytes()}
}

// readState is the latest state on the path of a view.
func readState(v *timeline.View) state {
	for i := len(v.Path) - 1; i >= 0; i-- {
		c := v.Path[i].Custom()
		if c == nil || c.CustomType != session.CustomState || rawjson.Kind(c.Data) != '{' {
			continue
		}
		var s state
		for k, raw := range rawjson.Fields(c.Data) {
			switch string(k) {
			case "failures":
				s.Failures = int(max(0, rawjson.Int(raw)))
			case "autocompact":
				on := rawjson.Bool(raw)
				s.Auto = &on
			}
		}
		return s
	}
	return state{}
}
