package approval

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// riskLater is RiskRuns for a file that is written now and runs later: not
// even the pattern for everything covers it.
const riskLater = "later"

// copiers are programs that write into a folder what their other arguments name.
var copiers = setOf("cp mv ln install rsync")

// destinations notes which files a program is known to write, and finds those
// that another program runs.
func (w *walker) destinations(p *part) {
	written := writtenArgs(p)
	into := copiers[canonicalName(p.program)]
	if len(written) == 0 {
		return
	}
	folders := slices.Clone(written)
	for _, a := range p.args {
		if folder := folderOption(a.text); into && folder != "" {
			folders = append(folders, word{text: folder, literal: a.literal})
		}
	}
	for i, a := range p.args {
		if canonicalName(p.program) == "dd" {
			a.text = strings.TrimPrefix(a.text, "of=")
		}
		named := slices.ContainsFunc(written, func(x word) bool { return x.text == a.text })
		option := strings.HasPrefix(a.text, "-")
		switch {
		case !a.literal:
			p.writesMore = true
			continue
		case option && folderOption(a.text) == "":
			continue
		case into && !option && copiesContent(p, a.text):
			p.writesMore = true
			p.findings = append(p.findings, finding{i, RiskWrites, a.text + " holds files whose names are known only when it runs"})
		}
		for _, base := range w.bases() {
			if named && !option {
				w.writesAt(p, i, seenFrom(base, a.text))
			}
			if option {
				w.writesAt(p, i, seenFrom(base, folderOption(a.text)))
				continue
			}
			for _, folder := range folders {
				if at := seenFrom(base, folder.text); into && folder.literal && folder.text != a.text && isFolder(at, folder.text) {
					w.writesAt(p, i, filepath.Join(at, filepath.Base(filepath.Clean(a.text))))
				}
			}
		}
	}
}

func (w *walker) writesAt(p *part, arg int, path string) {
	for _, name := range w.allowed.fileOf(path).names {
		if slices.Contains(p.writes, name) {
			continue
		}
		p.writes = append(p.writes, name)
		if why, ok := RunsLater(name); ok {
			p.findings = append(p.findings, finding{arg, riskLater, name + " can run later: " + why})
		}
	}
}

// folderOption returns the folder in -tFOLDER and --target-directory=FOLDER.
func folderOption(arg string) string {
	name, value, has := strings.Cut(arg, "=")
	switch {
	case has && len(name) > 2 && strings.HasPrefix("--target-directory", name):
		return value
	case len(arg) > 2 && strings.HasPrefix(arg, "-t"):
		return arg[2:]
	}
	return ""
}

// isFolder reports whether a copy to a place goes into it.
func isFolder(path, written string) bool {
	info, err := os.Stat(path)
	return strings.HasSuffix(written, "/") || err == nil && info.IsDir()
}

// copiesContent reports whether a program copies the content of a folder, not the folder itself.
func copiesContent(p *part, source string) bool {
	has := func(letters, long string) bool {
		return slices.ContainsFunc(p.args, func(a word) bool {
			short := len(a.text) > 1 && a.text[0] == '-' && a.text[1] != '-'
			return short && strings.ContainsAny(a.text, letters) || len(a.text) > 4 && strings.HasPrefix(long, a.text)
		})
	}
	base := source[strings.LastIndexByte(source, '/')+1:]
	return canonicalName(p.program) != "ln" && (has("rRa", "--recursive") || has("", "--archive")) &&
		(has("T", "--no-target-directory") || base == "." || base == ".." || base == "" && p.program == "rsync")
}
