package assemble

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"mutsumi/backend/fault"
	"mutsumi/backend/files"
	"mutsumi/backend/lock"
)

// Cache keeps the texts of files between builds, each as long as the file is
// the same one on disk, and in previews the results of tools. A nil Cache
// keeps nothing. It is safe for concurrent use.
type Cache struct {
	mu    lock.Mutex
	files map[string]kept
	bytes int
	tools map[string]toolResult
	reads int

	resources     map[string]readResource // by server:uri
	resourceBytes int
	forgotten     int
}

// cacheLimit bounds the texts that a Cache keeps, in bytes.
const cacheLimit = 64 << 20

// kept is a file as it was read.
type kept struct {
	info   fs.FileInfo
	readAt time.Time
	text   string
	head   []byte // of a file that is no text
}

// NewCache makes an empty cache.
func NewCache() *Cache {
	return &Cache{files: map[string]kept{}, tools: map[string]toolResult{}, resources: map[string]readResource{}}
}

// ForgetTools drops the results of tools and servers, for a person who wants fresh ones.
func (c *Cache) ForgetTools() {
	c.ForgetResources()
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.tools)
}

// Reads is how many times a file was read from disk.
func (c *Cache) Reads() int {
	if c == nil {
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.reads
}

func (c *Cache) tool(key string) (toolResult, bool) {
	if c == nil {
		return toolResult{}, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	got, ok := c.tools[key]
	return got, ok
}

func (c *Cache) putTool(key string, got toolResult) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tools[key] = got
}

func (c *Cache) file(path string, info fs.FileInfo) (kept, bool) {
	if c == nil {
		return kept{}, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	k, ok := c.files[path]
	if !ok || !os.SameFile(k.info, info) || k.info.Size() != info.Size() || k.info.Mode() != info.Mode() || !k.info.ModTime().Equal(info.ModTime()) {
		return kept{}, false
	}
	// A file that was written twice within one tick of the disk's clock has the same time: content
	// read so soon after a change is not reused.
	tick := 100 * time.Millisecond
	if info.ModTime().Nanosecond() == 0 {
		tick = 2 * time.Second
	}
	return k, k.readAt.Sub(info.ModTime()) > tick
}

func (c *Cache) putFile(path string, k kept) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reads++
	c.bytes += len(k.text) - len(c.files[path].text)
	if c.bytes > cacheLimit {
		clear(c.files)
		c.bytes = len(k.text)
	}
	c.files[path] = k
}

// loaded is a file or folder, read once for a build.
type loaded struct {
	text   string
	folder bool
	size   int64 // of a file too large to be read whole
	err    error
}

// load returns the text of a file, of some of its lines if from is not 0, or the
// listing of a folder. name is its path relative to the workspace.
func (a *Assembler) load(path, name string, from, to int) (text string, folder bool, err error) {
	got, ok := a.files[name]
	if !ok {
		if got, ok = a.ahead.take(name, &a.from); !ok {
			got = a.from.read(path)
		}
		a.files[name] = got
	}
	if from == 0 || got.folder && got.err == nil {
		if got.folder && from != 0 {
			return "", true, fault.New(fault.Invalid, "%s is a folder: it has no lines", path)
		}
		return got.text, got.folder, got.err
	}
	if got.err != nil {
		// Too large as a whole; a range of it may fit.
		if got.size > 0 {
			if err := a.take(int(got.size / perScan)); err != nil {
				return "", false, err
			}
			text, err = a.cfg.Roots.ReadRange(path, from, to, files.TextLimit)
			if err == nil && text == "" {
				err = a.behindEnd(path, from)
			}
			return text, false, err
		}
		return "", false, got.err
	}
	if n := countLines(got.text); from > n {
		return "", false, noSuchLine(path, from, n)
	}
	return cutLines(got.text, from, to), false, nil
}

// behindEnd distinguishes an empty line from one beyond the end of a large file.
func (a *Assembler) behindEnd(path string, line int) error {
	f, err := a.cfg.Roots.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	n, last, buf := 0, byte('\n'), make([]byte, 64<<10)
	for n < line {
		got, err := f.Read(buf)
		n += bytes.Count(buf[:got], []byte("\n"))
		if got > 0 {
			last = buf[got-1]
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
	}
	if last != '\n' {
		n++
	}
	if line > n {
		return noSuchLine(path, line, n)
	}
	return nil
}

func noSuchLine(path string, line, lines int) error {
	if lines == 0 {
		return fault.New(fault.Invalid, "%s: there is no line %d: the file is empty", path, line)
	}
	return fault.New(fault.Invalid, "%s: there is no line %d: the last one is %d", path, line, lines)
}

// countLines counts the lines of a text, including a non-empty last line without a line break.
func countLines(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

// source is where a goroutine reads files.
type source struct {
	door  *files.Roots
	from  *files.Reader // of door
	cache *Cache
	room  []byte // where they are read
}

// read returns the content at a path; a file is read only if the cache lacks it.
func (s *source) read(path string) loaded {
	real, info, ok := s.from.Stat(path)
	if ok {
		if k, ok := s.cache.file(real, info); ok {
			return k.loaded(path)
		}
	}
	f, info, err := s.from.Open(path)
	if err != nil {
		return loaded{err: err}
	}
	defer f.Close()
	if info.IsDir() {
		entries, err := s.door.List(path)
		if err != nil {
			return loaded{err: err}
		}
		return loaded{text: files.Listing(entries), folder: true}
	}
	if info.Size() > files.TextLimit {
		return loaded{size: info.Size(), err: tooLarge(path, info.Size())}
	}
	k, ok := s.cache.file(f.Name(), info)
	if !ok {
		k = kept{info: info, readAt: time.Now()}
		raw, err := s.readAll(f, info.Size())
		if err != nil {
			return loaded{err: err}
		}
		if len(raw) > files.TextLimit {
			return loaded{size: int64(len(raw)), err: tooLarge(path, int64(len(raw)))}
		}
		if k.text, ok = files.Text(raw); !ok {
			k.head = bytes.Clone(raw[:min(len(raw), 8)])
		}
		s.cache.putFile(f.Name(), k)
	}
	return k.loaded(path)
}

func (k kept) loaded(path string) loaded {
	if k.head != nil {
		return loaded{err: files.NotText(path, k.head)}
	}
	return loaded{text: k.text}
}

// readAll reads a file of about that size. The result is good until the next call.
func (s *source) readAll(f *os.File, size int64) ([]byte, error) {
	buf := slices.Grow(s.room[:0], int(size)+1)
	defer func() { s.room = buf }()
	for {
		n, err := f.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if err == io.EOF || len(buf) > files.TextLimit {
			return buf, nil
		}
		if err != nil {
			return nil, err
		}
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
	}
}

func tooLarge(path string, size int64) error {
	return fault.New(fault.Invalid, "%s is %s, more than the %s that fit: name a range of lines, %s:1:200",
		path, files.Size(size), files.Size(files.TextLimit), path)
}

// cutLines returns the lines from first to last, both included, joined by "\n".
func cutLines(text string, first, last int) string {
	start := 0
	for n := 1; n < first; n++ {
		nl := strings.IndexByte(text[start:], '\n')
		if nl < 0 {
			return ""
		}
		start += nl + 1
	}
	end := start
	for n := first; ; n++ {
		nl := strings.IndexByte(text[end:], '\n')
		if nl < 0 {
			end = len(text)
			break
		}
		if n == last {
			end += nl
			break
		}
		end += nl + 1
	}
	return strings.ReplaceAll(strings.TrimSuffix(text[start:end], "\r"), "\r\n", "\n")
}
