package builtin

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"path"
	"runtime"
	"strings"
	"sync"

	"mutsumi/backend/files"
)

// searchLimit is the largest file that is searched, in bytes.
const searchLimit = 32 << 20

// search looks for a finder's lines in a folder: one goroutine walks, several read and match, and
// the results are put in the order of the walk, so that the same search always gives the same
// answer.
type search struct {
	roots   *files.Roots
	dir     string
	finder  *finder
	include func(string) bool
	leaves  func(string) bool // omitted files, see leavesOut
	context int
	names   bool // only count the matching lines of a file
	limit   int  // matching lines, or files when only names are wanted

	found    []foundFile
	matches  int
	searched int  // files that were searched
	skipped  int  // too large
	left     int  // notebooks and temporary files that were left out
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

// files returns the files to search in the order of the walk: all of them during the walk, or with
// ripgrep's help those that can have a match, after it.
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
		misled = misled || e.Name() == ".rgignore" // which cannot be switched off separately
		if e.Dir || e.Link || s.include != nil && !s.include(e.Path) {
			return nil
		}
		if s.leaves(e.Path) {
			s.left++
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

// collect takes results in order and ends the search when there are enough. It drains the channel,
// so that no goroutine is left waiting.
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
