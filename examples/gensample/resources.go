package main

import (
	"fmt"
	"slices"
	"strings"
)

// resource is one kind of object in the invented service, whose source files are
// made from resources by templates.
type resource struct {
	Name, Plural, Pkg, Table, Prefix string
	Article, Doc, Sentence           string
	States                           []string
	Fields                           []column
	Verbs                            []verb
	Money                            string // field that totals add up; "": none
	PageSize, MaxPage, MaxBody, Day  int
}

// column is a field of a resource.
type column struct {
	Name, Type, Column, Doc string
	Limit                   int
	Filter                  bool
	Example                 string
}

// verb is something that a client may do to a resource.
type verb struct{ Name, To, Doc string }

// After lists the states that may follow state i: the next two, none after
// the last.
func (r resource) After(i int) []string {
	return r.States[min(i+1, len(r.States)):min(i+3, len(r.States))]
}

// HasMoney reports whether any field is an amount.
func (r resource) HasMoney() bool {
	return slices.ContainsFunc(r.Fields, func(c column) bool { return c.Type == "money.Amount" })
}

// Placeholders are the arguments of an INSERT.
func (r resource) Placeholders() string {
	n := 6
	for _, f := range r.Fields {
		n += strings.Count(f.Columns(), ",") + 1
	}
	parts := make([]string, n)
	for i := range parts {
		parts[i] = fmt.Sprintf("$%d", i+1)
	}
	return strings.Join(parts, ", ")
}

// Assignments are the columns of an UPDATE; they begin at argument 4.
func (r resource) Assignments() string {
	var parts []string
	for _, f := range r.Fields {
		for _, c := range strings.Split(f.Columns(), ", ") {
			parts = append(parts, fmt.Sprintf("%s = $%d", c, len(parts)+4))
		}
	}
	return strings.Join(parts, ", ")
}

// VersionArg is the number of the argument after the assignments.
func (r resource) VersionArg() int { return strings.Count(r.Assignments(), "=") + 4 }

// Columns are the database columns of a field; an amount has two.
func (c column) Columns() string {
	if c.Type == "money.Amount" {
		return c.Column + "_minor, " + c.Column + "_currency"
	}
	return c.Column
}

// Args are the Go expressions for Columns.
func (c column) Args() string {
	if c.Type == "money.Amount" {
		return fmt.Sprintf("x.%s.Minor, x.%s.Currency", c.Name, c.Name)
	}
	return "x." + c.Name
}

// Scans are the destinations for Columns.
func (c column) Scans() string {
	return "&" + strings.ReplaceAll(c.Args(), ", ", ", &")
}

// JSONType is the type in requests and responses.
func (c column) JSONType() string { return c.Type }

// SQL is the definition in the migration.
func (c column) SQL() string {
	switch c.Type {
	case "money.Amount":
		return fmt.Sprintf("%s_minor bigint NOT NULL CHECK (%s_minor >= 0),\n    %s_currency char(3) NOT NULL", c.Column, c.Column, c.Column)
	case "time.Time":
		return c.Column + " timestamptz"
	case "int64":
		return fmt.Sprintf("%s bigint NOT NULL CHECK (%s BETWEEN 0 AND %d)", c.Column, c.Column, c.Limit)
	case "bool":
		return c.Column + " boolean NOT NULL DEFAULT false"
	}
	return fmt.Sprintf("%s text NOT NULL CHECK (octet_length(%s) <= %d)", c.Column, c.Column, c.Limit)
}

// Schema is the type in the description of the API.
func (c column) Schema() string {
	switch c.Type {
	case "money.Amount":
		return "{$ref: '#/components/schemas/Amount'} # " + c.Doc
	case "time.Time":
		return "{type: string, format: date-time, description: '" + c.Doc + "'}"
	case "int64":
		return fmt.Sprintf("{type: integer, minimum: 0, maximum: %d, description: '%s'}", c.Limit, c.Doc)
	case "bool":
		return "{type: boolean, description: '" + c.Doc + "'}"
	}
	return fmt.Sprintf("{type: string, minLength: 1, maxLength: %d, description: '%s'}", c.Limit, strings.ReplaceAll(c.Doc, "'", "''"))
}

// JSONExample is the body of a valid request.
func (r resource) JSONExample() string {
	var parts []string
	for _, f := range r.Fields {
		v := f.Example
		switch f.Type {
		case "money.Amount":
			v = `{"Currency":"EUR","Minor":` + v[strings.LastIndexByte(v, ' ')+1:len(v)-1] + "}"
		case "time.Time":
			v = `"2026-03-31T00:00:00Z"`
		}
		parts = append(parts, fmt.Sprintf("%q:%s", f.Column, v))
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func text(name, col string, limit int, example, doc string) column {
	return column{Name: name, Type: "string", Column: col, Limit: limit, Example: fmt.Sprintf("%q", example), Doc: doc}
}

func key(name, col, example, doc string) column {
	c := text(name, col, 64, example, doc)
	c.Filter = true
	return c
}

func amount(name, col string, minor int, doc string) column {
	return column{Name: name, Type: "money.Amount", Column: col, Example: fmt.Sprintf(`money.New("EUR", %d)`, minor), Doc: doc}
}

func count(name, col string, limit, example int, doc string) column {
	return column{Name: name, Type: "int64", Column: col, Limit: limit, Example: fmt.Sprint(example), Doc: doc}
}

func moment(name, col, doc string) column {
	return column{Name: name, Type: "time.Time", Column: col, Example: "at.Add(48 * time.Hour)", Doc: doc}
}

func flag(name, col, doc string) column {
	return column{Name: name, Type: "bool", Column: col, Example: "true", Doc: doc}
}
