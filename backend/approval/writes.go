package approval

import (
	"path/filepath"
	"slices"
	"strings"
)

// Writes lists the files that a call names and writes, as absolute paths, each once: the file of
// write_file and edit_file, and for a command the targets of redirects and the arguments of
// programs that are known to write them. It omits files that a command writes without naming them,
// and names that are known only at run time.
func Writes(c Call) []string {
	s := subjectOf(c)
	var paths []string
	add := func(path string) {
		if path = filepath.Clean(path); !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	if fileTools[c.Tool] {
		for _, f := range s.files {
			name := filepath.FromSlash(f.names[0])
			if !filepath.IsAbs(name) {
				name = filepath.Join(s.places.workspace, name)
			}
			add(name)
		}
	}
	if s.command == nil {
		return paths
	}
	for _, p := range s.command.parts {
		words := writtenArgs(p)
		if p.kind == KindRedirect && p.write && !s.places.discards(p.target) {
			words = []word{p.target}
		}
		for _, x := range words {
			if x.literal && x.text != "" && (rooted(x.text) || !s.command.moved) {
				add(s.places.absolute(x.text))
			}
		}
	}
	return paths
}

// writers are programs that write the files named by their arguments: all of them, or with "last"
// the last one. An option in flag has to be present.
var writers = map[string]struct {
	last bool
	flag option
}{
	"tee": {}, "touch": {}, "rm": {}, "unlink": {}, "shred": {}, "truncate": {}, "mv": {}, "patch": {}, "ed": {}, "ex": {},
	"cp": {last: true}, "ln": {last: true}, "install": {last: true}, "rsync": {last: true},
	"sed":       {flag: option{long: "in-place", short: "i"}},
	"perl":      {flag: option{short: "i"}},
	"yq":        {flag: option{long: "inplace", short: "i"}},
	"gofmt":     {flag: option{words: "-w"}},
	"goimports": {flag: option{words: "-w"}},
	"prettier":  {flag: option{long: "write", short: "w"}},
	"sort":      {flag: option{long: "output", short: "o"}},
}

// writtenArgs are the arguments of a program that name files which it writes.
// For sed and similar programs the script is among them, which is not a file.
func writtenArgs(p *part) []word {
	if p.kind != KindProgram {
		return nil
	}
	name := canonicalName(p.program)
	spec, known := writers[name]
	switch {
	case name == "dd":
		for _, a := range p.args {
			if file, ok := strings.CutPrefix(a.text, "of="); ok && a.literal {
				return []word{{text: file, literal: true}}
			}
		}
		return nil
	case name == "git":
		if len(p.args) < 2 || !slices.Contains([]string{"checkout", "restore", "rm", "mv", "apply"}, p.args[0].text) {
			return nil
		}
		return operands(p.args[1:])
	case !known:
		return nil
	case spec.flag != (option{}) && !slices.ContainsFunc(p.args, func(a word) bool { return spec.flag.matches(a.text) }):
		return nil
	}
	files := operands(p.args)
	if spec.last && len(files) > 0 && !intoOption(p) {
		files = files[len(files)-1:]
	}
	return files
}

// intoOption reports whether an option of cp and similar programs names the target folder, which is
// then not the last argument.
func intoOption(p *part) bool {
	return canonicalName(p.program) != "rsync" && slices.ContainsFunc(p.args, func(a word) bool {
		return strings.HasPrefix(a.text, "-t") || strings.HasPrefix(a.text, "--t")
	})
}

func operands(args []word) []word {
	return slices.DeleteFunc(slices.Clone(args), func(a word) bool { return strings.HasPrefix(a.text, "-") })
}
