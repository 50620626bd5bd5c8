package media

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"mutsumi/backend/files"
	"mutsumi/backend/pdf"
)

// maxPaths is how many files are accepted at once.
const maxPaths = 200

// Insert turns paths that a person dropped or pasted into text for a prompt (SPEC 6): an image is
// copied into folder and linked, a PDF document is linked where it is, or copied too if it is
// outside the workspace, and anything else becomes a reference `@[path]`, relative to the workspace
// if inside. The pieces are in the order of the paths, separated by spaces; notes say what was
// omitted, and why. The paths are the person's: the notebook's agent need not be allowed to touch
// them.
func Insert(workspace, folder string, paths []string, now time.Time) (text string, notes []string) {
	if len(paths) > maxPaths {
		notes = append(notes, fmt.Sprintf("only the first %d of %d files were taken", maxPaths, len(paths)))
		paths = paths[:maxPaths]
	}
	var out []string
	for _, p := range paths {
		s, note := insertOne(workspace, folder, p, now)
		if note != "" {
			notes = append(notes, note)
		}
		if s != "" {
			out = append(out, s)
		}
	}
	return strings.Join(out, " "), notes
}

func insertOne(workspace, folder, p string, now time.Time) (text, note string) {
	abs, err := files.FromURI(p)
	if err != nil {
		return "", err.Error()
	}
	if !filepath.IsAbs(abs) {
		abs = filepath.Join(workspace, abs)
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return "", fmt.Sprintf("%s was left out: it is not there", p)
	}
	dir := filepath.Dir(real)
	roots, err := files.New(dir, []string{dir})
	if err != nil {
		return "", fmt.Sprintf("%s was left out: %s", p, err)
	}
	info, err := roots.Stat(real)
	if err != nil {
		return "", fmt.Sprintf("%s was left out: %s", p, err)
	}
	if info.IsDir() {
		return Reference(workspace, abs), ""
	}
	head, err := readHead(roots, real)
	if err != nil {
		return "", fmt.Sprintf("%s was left out: %s", p, err)
	}
	if pdf.Is(head) {
		return insertDocument(roots, workspace, folder, abs, info.Size(), now)
	}
	format, _ := kind(head)
	if format == "" {
		return Reference(workspace, abs), ""
	}
	data, err := roots.ReadBytes(real, DefaultLimits.FileBytes)
	if err != nil {
		return "", err.Error()
	}
	saved, err := Save(folder, data, filepath.Base(abs), now)
	if err != nil {
		return "", err.Error()
	}
	return saved.Link(workspace), ""
}

// insertDocument links a document. abs is its path as the person gave it.
func insertDocument(roots *files.Roots, workspace, folder, abs string, size int64, now time.Time) (text, note string) {
	name := filepath.Base(abs)
	if size > DocumentBytes {
		return "", tooLargeDocument(name, size, DocumentBytes).Error()
	}
	if isWithin(workspace, abs) {
		return Saved{Path: abs, Name: name}.Link(workspace), ""
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return "", err.Error()
	}
	data, err := roots.ReadBytes(real, DocumentBytes)
	if err != nil {
		return "", err.Error()
	}
	saved, err := SaveDocument(folder, data, name, now)
	if err != nil {
		return "", err.Error()
	}
	return saved.Link(workspace), ""
}

// isWithin reports whether a file is in the workspace, its links followed.
func isWithin(workspace, abs string) bool {
	folder, err := filepath.EvalSymlinks(workspace)
	if err != nil {
		return false
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return false
	}
	rel, err := filepath.Rel(folder, real)
	return err == nil && filepath.IsLocal(rel)
}

func readHead(roots *files.Roots, p string) ([]byte, error) {
	f, err := roots.Open(p)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, 1024)
	n, err := f.Read(head)
	if n > 0 || err == nil {
		return head[:n], nil
	}
	return nil, nil // empty: no image
}

// Reference writes `@[path]` for a file or folder: relative to the workspace with slashes if
// inside, otherwise absolute. A name that the syntax of references would misread (unbalanced
// brackets, `x:10`, braces) becomes a file:// URI, where it is encoded.
func Reference(workspace, abs string) string {
	p := filepath.ToSlash(abs)
	for _, base := range folderSpellings(workspace) {
		if rel, err := filepath.Rel(base, abs); err == nil && filepath.IsLocal(rel) {
			p = filepath.ToSlash(rel)
			break
		}
	}
	if awkward(p) {
		p = files.ToURI(abs)
	}
	return "@[" + p + "]"
}

func folderSpellings(dir string) []string {
	if real, err := filepath.EvalSymlinks(dir); err == nil && real != dir {
		return []string{dir, real}
	}
	return []string{dir}
}

func awkward(p string) bool {
	if strings.ContainsAny(p, "{}\n\r\x00%") || strings.TrimSpace(p) != p || strings.Contains(p, "@[") {
		return true
	}
	drive := 0
	if runtime.GOOS == "windows" {
		drive = len(filepath.VolumeName(filepath.FromSlash(p)))
	}
	if strings.Contains(p[drive:], ":") {
		return true
	}
	depth := 0
	for _, c := range p {
		switch c {
		case '[':
			depth++
		case ']':
			if depth--; depth < 0 {
				return true
			}
		}
	}
	return depth != 0
}

// Paths recognises a pasted text that consists of paths only: one or several lines, each an
// absolute path or a file:// URI of something that exists. ok is false for any other text, which is
// pasted as it is.
func Paths(text string) (paths []string, ok bool) {
	if len(text) > 64<<10 {
		return nil, false
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(strings.Trim(line, "\x00"))
		if line == "" || len(paths) == 0 && (line == "copy" || line == "cut") { // as file managers write
			continue
		}
		line = strings.Trim(line, `"'`)
		p, err := files.FromURI(line)
		if err != nil || !filepath.IsAbs(p) || strings.ContainsRune(p, 0) || len(paths) == maxPaths {
			return nil, false
		}
		if _, err := os.Lstat(p); err != nil {
			return nil, false
		}
		paths = append(paths, p)
	}
	return paths, len(paths) > 0
}
