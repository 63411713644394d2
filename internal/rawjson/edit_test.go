package rawjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestMembersAndElements(t *testing.T) {
	var got []string
	for k, v := range Members([]byte(` { "a" : 1 , "b\n":[1,{"x":"]}"}], "c":"\\\"}" ,"a":null} `)) {
		got = append(got, k+"="+string(v))
	}
	want := []string{"a=1", "b\n=" + `[1,{"x":"]}"}]`, `c="\\\"}"`, "a=null"}
	if !slices.Equal(got, want) {
		t.Errorf("members %q, want %q", got, want)
	}
	got = nil
	for v := range Elements([]byte(`[ 1, "a,]" ,[2,3], {} ]`)) {
		got = append(got, string(v))
	}
	if want := []string{"1", `"a,]"`, "[2,3]", "{}"}; !slices.Equal(got, want) {
		t.Errorf("elements %q, want %q", got, want)
	}
	for _, other := range []string{``, `1`, `"x"`, `null`} {
		for range Members([]byte(other)) {
			t.Errorf("%q has members", other)
		}
		for range Elements([]byte(other)) {
			t.Errorf("%q has elements", other)
		}
	}
}

// What JSON.stringify(JSON.parse(x)) prints in Node 20.
func TestJSIsWhatJavaScriptPrints(t *testing.T) {
	tests := map[string]string{
		`{ "b" : 1, "a" : 2 }`:                `{"b":1,"a":2}`,
		`{"b":1,"10":2,"2":3,"01":4,"-1":5}`:  `{"2":3,"10":2,"b":1,"01":4,"-1":5}`,
		`{"a":1,"b":2,"a":3}`:                 `{"a":3,"b":2}`,
		`[1.0,1e21,1e20,1e-6,1e-7,-0,0.1]`:    `[1,1e+21,100000000000000000000,0.000001,1e-7,0,0.1]`,
		`[12345678901234567890,1e400,5e-324]`: `[12345678901234567000,null,5e-324]`,
		`"\u00e9\/<>&\u2028"`:                 `"é/<>&` + "\u2028" + `"`,
		`"\u0041\n\u000a\u0000\u001F\u0022"`:  `"A\n\n\u0000\u001f\""`,
		`"\ud83d\ude00 \ud83d \uDE00"`:        `"😀 \ud83d \ude00"`,
		`[true,false,null]`:                   `[true,false,null]`,
	}
	for in, want := range tests {
		if got := string(JS([]byte(in))); got != want {
			t.Errorf("JS(%s) = %s, want %s", in, got, want)
		}
	}
}

func TestSetAndDelete(t *testing.T) {
	obj := []byte(`{"a":1, "b" : {"c":2} ,"a":3}`)
	tests := []struct{ got, want string }{
		{string(Set(obj, "b", []byte("null"))), `{"a":1,"b":null,"a":3}`},
		{string(Set(obj, "a", []byte("9"))), `{"a":9,"b":{"c":2}}`},
		{string(Set(obj, "z", []byte(`"new"`))), `{"a":1,"b":{"c":2},"a":3,"z":"new"}`},
		{string(Set([]byte(`{}`), "z", []byte(`1`))), `{"z":1}`},
		{string(Delete(obj, "a")), `{"b":{"c":2}}`},
		{string(Delete([]byte(`{"a":1}`), "a")), `{}`},
	}
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("got %s, want %s", tt.got, tt.want)
		}
	}
	if string(obj) != `{"a":1, "b" : {"c":2} ,"a":3}` {
		t.Error("the original changed")
	}
}

// Against the standard library, over drawn objects.
func TestEditsAgreeWithTheStandardLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.MapOf(rapid.String(), rapid.OneOf(rapid.Just[any](nil), rapid.Map(rapid.String(), func(s string) any { return s }),
			rapid.Map(rapid.Float64Range(-1e9, 1e9), func(f float64) any { return f }))).Draw(t, "object")
		raw, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		name := rapid.String().Draw(t, "name")
		set := Set(raw, name, []byte(`"value"`))
		var back map[string]any
		if err := json.Unmarshal(set, &back); err != nil {
			t.Fatalf("%s: %v", set, err)
		}
		if back[strings.ToValidUTF8(name, "\uFFFD")] != "value" || len(back) > len(m)+1 {
			t.Fatalf("%s has no %q", set, name)
		}
		if !bytes.Equal(JS(raw), JS(JS(raw))) {
			t.Fatalf("JS is not stable on %s", raw)
		}
	})
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{`{"a":[1,"\"",{}]}`, `{"a`, `[1,`, `"\ud800"`, `{"a":1,}`, "{\"a\":\"\x00\"}", `{"":{"":{}}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for k, v := range Members(b) {
			_, _, _, _ = k, String(v), Int(v), Kind(v)
		}
		for range Elements(b) {
			continue
		}
		if !Valid(b) {
			return
		}
		if js := JS(b); !Valid(js) {
			t.Fatalf("JS(%q) = %q is not valid", b, js)
		}
		if Kind(b) == '{' {
			for _, out := range [][]byte{Set(b, "k", []byte("1")), Delete(b, "k")} {
				if !Valid(out) {
					t.Fatalf("edit of %q gave %q", b, out)
				}
			}
		}
	})
}

func ExampleSet() {
	fmt.Println(string(Set([]byte(`{"id":"a","future":{"field":1}}`), "id", []byte(`"b"`))))
	// Output: {"id":"b","future":{"field":1}}
}
