package facts

import "testing"

func TestFilesOfAPath(t *testing.T) {
	tests := []struct {
		name    string
		scripts []string
		want    map[Class]int
	}{
		{"read and modified", []string{"cat a", "echo > a"}, map[Class]int{FileRead: 1, FileModified: 1}},
		{"created stays created", []string{"touch a", "echo > a"}, map[Class]int{FileCreated: 1}},
		{"deleted is no longer modified", []string{"echo > a", "rm a"}, map[Class]int{FileDeleted: 1}},
		{"written again", []string{"rm a", "echo > a"}, map[Class]int{FileModified: 1}},
		{"moved", []string{"echo > a", "mv a b"}, map[Class]int{FileMoved: 1}},
		{"moved and written again", []string{"mv a b", "echo > a"}, map[Class]int{FileMoved: 1, FileModified: 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var k talk
			for _, script := range tt.scripts {
				k.runs(bash(script), "", false)
			}
			got := map[Class]int{}
			for _, f := range k.find() {
				got[f.Class]++
			}
			equal(t, got, tt.want)
		})
	}
}

// Paths are relative to where the first command began.
func TestChangedDirectories(t *testing.T) {
	for _, tt := range []struct {
		script string
		want   []string
	}{
		{"(cd sub && cat x)", []string{"sub/x"}},
		{"cd sub && cat x && cd .. && cat y", []string{"sub/x", "y"}},
		{"cd /srv/project && cat x", []string{"x"}},
		{"cd $DIR && cat x", []string{"x"}},
	} {
		var k talk
		k.runs(bash(tt.script), "", false)
		equal(t, texts(k.find(), FileRead), tt.want)
	}
}
