package builtin

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"regexp/syntax"
	"runtime"
	"strings"
	"sync"

	"mutsumi/backend/files"
)

// searchLimit is the largest file that is searched, in bytes.
const searchLimit = 32 << 20

// search looks for a finder's lines in a folder: one goroutine walks, several
// read and match, and the results are put in the order of the walk, so that
// the same search always gives the same answer.
type search struct {
	roots   *files.Roots
	dir     string
	finder  *finder
	include func(string) bool
	context int
	names   bool // only how many lines of a file match
	limit   int  // matching lines, or files when only names are wanted

	found    []foundFile
	matches  int
	searched int  // files that were looked at
	skipped  int  // too large
	more     bool // the limit ended it
}

// foundFile is a file with matches: text is its lines as they are shown.
type foundFile struct {
	path    string
	text    string
	ends    []int // where each matching line ends in text
	matches int
	more    bool
}

type searchJob struct {
	index int
	path  string // as it is opened and shown
}

type searchResult struct {
	index    int
	file     foundFile
	tooLarge bool
}

func (s *search) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	jobs := make(chan searchJob, 256)
	results := make(chan searchResult, 256)
	var walkErr error
	go func() {
		defer close(jobs)
		n := 0
		walkErr = s.files(ctx, func(name string) error {
			select {
			case jobs <- searchJob{n, join(s.dir, name)}:
				n++
				return nil
			case <-ctx.Done():
				return fs.SkipAll
			}
		})
	}()
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			var buf []byte
			for j := range jobs {
				if ctx.Err() != nil {
					continue // empties the channel
				}
				var res searchResult
				res, buf = s.file(j.path, buf)
				res.index = j.index
				results <- res
			}
		})
	}
	go func() {
		workers.Wait()
		close(results)
	}()
	s.collect(results, cancel)
	if s.more {
		return nil
	}
	return walkErr
}

// files gives the files to search in the order of the walk: all of them while
// it goes, or with ripgrep's help those that can have a match, after it.
func (s *search) files(ctx context.Context, fn func(name string) error) error {
	dir, err := s.roots.Path(s.dir)
	if err != nil {
		return err
	}
	var names []string
	helped := hasRipgrep()
	hint := func() map[string]bool { return nil }
	if helped {
		hint = s.finder.ripgrep(ctx, dir)
	}
	misled := false
	err = s.roots.Walk(ctx, s.dir, func(e files.Entry) error {
		misled = misled || e.Name() == ".rgignore" // which cannot be switched off by itself
		if e.Dir || e.Link || s.include != nil && !s.include(e.Path) {
			return nil
		}
		s.searched++
		if helped {
			names = append(names, e.Path)
			return nil
		}
		return fn(e.Path)
	})
	candidates := hint()
	if misled {
		candidates = nil
	}
	for _, name := range names {
		if err != nil || candidates != nil && !candidates[name] {
			continue
		}
		err = fn(name)
	}
	if err == fs.SkipAll {
		return nil
	}
	return err
}

// collect takes results in order and ends the search when there are enough.
// It drains the channel, so that nobody is left waiting.
func (s *search) collect(results <-chan searchResult, cancel func()) {
	waiting := map[int]searchResult{}
	next := 0
	for res := range results {
		waiting[res.index] = res
		for {
			res, ok := waiting[next]
			if !ok || s.more {
				break
			}
			delete(waiting, next)
			next++
			s.take(res)
			if s.more {
				cancel()
			}
		}
	}
}

func (s *search) take(res searchResult) {
	if res.tooLarge {
		s.skipped++
	}
	if res.file.matches == 0 {
		return
	}
	f, room := res.file, s.limit-s.matches
	if s.names {
		room = s.limit - len(s.found)
	}
	if room <= 0 {
		s.more = true
		return
	}
	s.more = f.more
	if !s.names && f.matches > room {
		f.matches, f.text, s.more = room, f.text[:f.ends[room-1]], true
	}
	s.matches += f.matches
	s.found = append(s.found, f)
}

func (s *search) one(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	f, err := s.roots.Open(s.dir)
	if err != nil {
		return err
	}
	f.Close()
	s.searched = 1
	res, _ := s.file(s.dir, nil)
	s.take(res)
	return nil
}

// file searches one file. buf is room to read into; it is handed back, grown.
func (s *search) file(name string, buf []byte) (searchResult, []byte) {
	var res searchResult
	f, err := s.roots.Open(name)
	if err != nil {
		return res, buf // gone or not readable: no match in it
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.IsDir() {
		return res, buf
	}
	if info.Size() > searchLimit {
		res.tooLarge = true
		return res, buf
	}
	if need := int(info.Size()) + 1; cap(buf) < need {
		buf = make([]byte, need+need/4)
	}
	n, err := io.ReadFull(f, buf[:cap(buf)])
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return res, buf
	}
	data := buf[:n]
	if bytes.IndexByte(data[:min(n, 8000)], 0) >= 0 {
		text, ok := files.Text(data)
		if !ok {
			return res, buf
		}
		data = []byte(text)
	}
	res.file = s.match(data)
	res.file.path = path.Clean(strings.TrimPrefix(name, "./"))
	if strings.HasPrefix(name, "file:") {
		res.file.path = name
	}
	return res, buf
}

// match finds and shows the matching lines of a text.
func (s *search) match(data []byte) foundFile {
	var out foundFile
	if bytes.Contains(data, crlf) {
		data = bytes.ReplaceAll(data, crlf, newline)
	}
	if s.names {
		for off := 0; ; out.matches++ {
			_, end, _, ok := s.finder.next(data, off)
			if !ok {
				return out
			}
			off = end + 1
		}
	}
	var b strings.Builder
	number := 1  // of the line at counted
	counted := 0 // start of the line with that number
	shown := 0   // everything before this offset has been shown or passed
	pending := 0 // context lines still due after the last match
	after := func(until int) {
		for ; pending > 0 && shown < until; pending-- {
			end := lineEnd(data, shown)
			number += bytes.Count(data[counted:shown], newline)
			counted = shown
			fmt.Fprintf(&b, "%d-%s\n", number, trimLine(data[shown:end], 0))
			shown = min(end+1, len(data))
		}
	}
	for off := 0; off <= len(data); {
		start, end, at, ok := s.finder.next(data, off)
		if !ok {
			break
		}
		if out.matches == s.limit {
			out.more = true
			break
		}
		after(start)
		first := start
		for i := 0; i < s.context && first > shown; i++ {
			first = lineStart(data, first-1)
		}
		if s.context > 0 && first > shown && out.matches > 0 {
			b.WriteString("--\n")
		}
		number += bytes.Count(data[counted:first], newline)
		counted = first
		for counted < start {
			e := lineEnd(data, counted)
			fmt.Fprintf(&b, "%d-%s\n", number, trimLine(data[counted:e], 0))
			number++
			counted = e + 1
		}
		fmt.Fprintf(&b, "%d:%s\n", number, trimLine(data[start:end], at-start))
		out.matches++
		out.ends = append(out.ends, b.Len())
		pending = s.context
		shown = min(end+1, len(data))
		off = end + 1
	}
	after(len(data))
	out.text = b.String()
	return out
}

var newline, crlf = []byte("\n"), []byte("\r\n")

func lineStart(data []byte, at int) int { return bytes.LastIndexByte(data[:at], '\n') + 1 }

func lineEnd(data []byte, at int) int {
	if i := bytes.IndexByte(data[at:], '\n'); i >= 0 {
		return at + i
	}
	return len(data)
}

// trimLine shows a line, of a very long one the part around the match.
func trimLine(line []byte, at int) string {
	const most, before = 400, 120
	if len(line) <= most {
		return string(line)
	}
	from := max(0, at-before)
	to := min(len(line), from+most)
	s := strings.ToValidUTF8(string(line[from:to]), "")
	if from > 0 {
		s = "..." + s
	}
	if to < len(line) {
		s += fmt.Sprintf("... [line of %d bytes]", len(line))
	}
	return s
}

// finder finds lines that match. Texts without anything special are looked
// for as bytes, which is many times faster.
type finder struct {
	expr       string
	ignoreCase bool

	literal []byte
	whole   *regexp.Regexp // over many lines: says where to look; nil: look at every line
	line    *regexp.Regexp // decides about one line
}

func newFinder(expr string, ignoreCase bool) (*finder, error) {
	if _, err := syntax.Parse(expr, syntax.Perl); err != nil { // without our group around it
		return nil, err
	}
	flags := ""
	if ignoreCase {
		flags = "i"
	}
	line, err := regexp.Compile("(?" + flags + ":" + expr + ")")
	if err != nil {
		return nil, err
	}
	f := &finder{expr: expr, ignoreCase: ignoreCase, line: line}
	if prefix, complete := line.LiteralPrefix(); complete && prefix != "" && !strings.Contains(prefix, "\n") {
		f.literal = []byte(prefix)
		return f, nil
	}
	if !strings.Contains(expr, `\A`) && !strings.Contains(expr, `\z`) {
		f.whole, err = regexp.Compile("(?m" + flags + ":" + expr + ")")
	}
	return f, err
}

// next finds the first matching line at or after off, which is the start of a
// line: its bounds without the line break, and where in data the match is.
func (f *finder) next(data []byte, off int) (start, end, at int, ok bool) {
	for off < len(data) {
		switch {
		case f.literal != nil:
			i := bytes.Index(data[off:], f.literal)
			if i < 0 {
				return 0, 0, 0, false
			}
			at = off + i
			return lineStart(data, at), lineEnd(data, at), at, true
		case f.whole != nil:
			// A match over several lines starts no later than the first line
			// that matches alone: look at the line where it starts, then go on.
			m := f.whole.FindIndex(data[off:])
			if m == nil {
				return 0, 0, 0, false
			}
			at = off + m[0]
			if at >= len(data) {
				return 0, 0, 0, false
			}
			start, end = lineStart(data, at), lineEnd(data, at)
		default:
			start, end = off, lineEnd(data, off)
		}
		if m := f.line.FindIndex(data[start:end]); m != nil {
			return start, end, start + m[0], true
		}
		off = end + 1
	}
	return 0, 0, 0, false
}
