package hook

import (
	"errors"
	"fmt"
	"time"

	"github.com/coppice-dev/coppice/internal/rawjson"
)

// ParsePrograms reads the value of the settings key hooks:
//
//	{
//	  "session_before_compact": [
//	    {"command": ["summarize.py", "--short"], "name": "10-short", "required": true, "timeoutSeconds": 60}
//	  ]
//	}
//
// Only command is needed; its first element is a path, seen from the project's
// folder, or a name in PATH. project says whose settings they are. The programs
// that can be read are returned also where the error names others.
func ParsePrograms(raw []byte, project bool) ([]Program, error) {
	if !rawjson.Valid(raw) || rawjson.Kind(raw) != '{' {
		return nil, errors.New("hooks: no JSON object")
	}
	var out []Program
	var errs []error
	for name, list := range rawjson.Members(raw) {
		if !Event(name).known() {
			errs = append(errs, fmt.Errorf("hooks.%s: there is no such event", name))
			continue
		}
		if rawjson.Kind(list) != '[' {
			errs = append(errs, fmt.Errorf("hooks.%s: no array of programs", name))
			continue
		}
		n := 0
		for e := range rawjson.Elements(list) {
			p, err := parseProgram(e)
			p.Event, p.Project = Event(name), project
			if err != nil {
				errs = append(errs, fmt.Errorf("hooks.%s[%d]: %w", name, n, err))
			} else {
				out = append(out, p)
			}
			n++
		}
	}
	return out, errors.Join(errs...)
}

// maxSeconds bounds a limit: nobody waits for a day.
const maxSeconds = 24 * 60 * 60

func parseProgram(raw []byte) (Program, error) {
	if rawjson.Kind(raw) != '{' {
		return Program{}, errors.New("no object")
	}
	in := readObject(raw, "")
	p := Program{Name: in.str("name"), Command: in.lines("command"), Required: in.bool("required")}
	if v := in.take("timeoutSeconds", "number", '0'); v != nil {
		s, ok := rawjson.Float(v)
		if !ok || s <= 0 || s > maxSeconds {
			in.fail(fmt.Errorf("timeoutSeconds is not between 0 and %d: %s", maxSeconds, v))
		}
		p.Timeout = time.Duration(s * float64(time.Second))
	}
	if len(p.Command) == 0 || p.Command[0] == "" {
		in.fail(errors.New("no command is given"))
	}
	if left := in.unknown(); len(left) > 0 {
		in.fail(fmt.Errorf("unknown key %q", left[0]))
	}
	return p, in.err
}
