// Package corpus reads the arguments of the commands that replay a folder of
// session files.
package corpus

import (
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"slices"
)

// Args are the arguments of such a command.
type Args struct {
	Files   []string // session files, by name
	Verbose bool     // print each session too
	JSON    bool     // print JSON
	Write   string   // document that gets the tables too; "": none
}

// Parse reads the arguments of a command. The error says what is wrong with
// them, or is flag.ErrHelp.
func Parse(command string, args []string, stderr io.Writer) (Args, error) {
	var a Args
	flags := flag.NewFlagSet(command, flag.ContinueOnError)
	flags.SetOutput(stderr)
	dir := flags.String("corpus", "examples", "folder of session files")
	flags.BoolVar(&a.Verbose, "v", false, "print each session too")
	flags.BoolVar(&a.JSON, "json", false, "print JSON")
	flags.StringVar(&a.Write, "write", "", "put the tables into the section <!-- "+command+" --> of this document too")
	if err := flags.Parse(args); err != nil {
		return a, err
	}
	files, err := filepath.Glob(filepath.Join(*dir, "*.jsonl"))
	if err != nil {
		return a, err
	}
	if len(files) == 0 {
		return a, fmt.Errorf("no session files (*.jsonl) in %s", *dir)
	}
	slices.Sort(files)
	a.Files = files
	return a, nil
}
