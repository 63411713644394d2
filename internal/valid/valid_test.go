package valid

import (
	"errors"
	"fmt"
	"testing"
)

func TestChecks(t *testing.T) {
	n, share := int64(-1), 2.0
	for _, tt := range []struct {
		err  error
		want string // "": none
	}{
		{NotNegative("a", &n), "a must be 0 or more, not -1"},
		{NotNegative[int64]("a", nil), ""},
		{Between("a", &share, 0, 1), "a must be at most 1"},
		{Between("a", &n, 0, 5), "a must be at least 0"},
		{Between[int64]("a", nil, 0, 5), ""},
		{OneOf("a", "x", []string{"y", "z"}), `a must be one of y, z, not "x"`},
		{OneOf("a", "", []string{"y"}), ""},
		{Address("a", "ftp://x"), "a must be an address that begins with http:// or https://"},
		{Address("a", "https://x/v1"), ""},
		{Model("a", "x"), `a must have the form "provider/model"`},
		{Model("a", "x/y/z"), ""},
	} {
		switch {
		case tt.want == "" && tt.err != nil, tt.want != "" && (tt.err == nil || tt.err.Error() != tt.want):
			t.Errorf("got %v, want %s", tt.err, tt.want)
		}
	}
}

func TestFields(t *testing.T) {
	err := fmt.Errorf("settings: %w", errors.Join(Wrong("a", "is bad"), nil, Below("b", errors.Join(Wrong("c", "is worse"), Wrong("", "is odd")))))
	var got []string
	for _, f := range Fields(err) {
		got = append(got, f.Error())
	}
	if fmt.Sprint(got) != "[a is bad b.c is worse b is odd]" {
		t.Errorf("%q", got)
	}
	if Below("b", nil) != nil || Fields(errors.New("x")) != nil {
		t.Error("there is nothing to tell")
	}
}
