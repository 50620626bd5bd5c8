package assemble

import (
	"runtime"
	"sync"

	"mutsumi/backend/lock"
)

const (
	// aheadFrom is the number of files from which reading them in parallel is worthwhile.
	aheadFrom = 8
	// aheadReaders is the maximum number of reading goroutines.
	aheadReaders = 3
)

// ahead reads files that a build needs later, in parallel. The build takes part: while the file
// that it waits for is being read, it reads another one.
type ahead struct {
	mu      lock.Mutex
	jobs    []*job // in the order of the requests
	next    int    // no job before it is free
	byName  map[string]*job
	bytes   int // that were read
	readers int
	over    bool // nothing more is begun
	group   sync.WaitGroup
}

// job is a file to be read.
type job struct {
	path  string
	taken bool
	done  chan struct{} // closed when got is set
	got   loaded
}

// Ahead announces references, written without their brackets, that the build will follow. Their
// files are read in the background, until Close.
func (a *Assembler) Ahead(inners []string) {
	if len(inners) < aheadFrom {
		return
	}
	h := &a.ahead
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.byName == nil {
		h.byName = map[string]*job{}
	}
	for _, inner := range inners {
		r := asPath(inner)
		if r.Problem != "" {
			continue
		}
		p := (&walker{}).relative(r.Path)
		name := a.cfg.Roots.Rel(p)
		_, read := a.files[name]
		if read || h.byName[name] != nil {
			continue
		}
		j := &job{path: p, done: make(chan struct{})}
		h.jobs, h.byName[name] = append(h.jobs, j), j
	}
	h.over = false
	for h.readers < min(aheadReaders, runtime.GOMAXPROCS(0)-1) {
		h.readers++
		h.group.Go(func() {
			s := source{door: a.cfg.Roots, from: a.cfg.Roots.Reader(), cache: a.cfg.Cache}
			defer s.from.Close()
			for j := h.free(nil); j != nil; j = h.free(nil) {
				h.read(j, &s)
			}
		})
	}
}

// free takes wanted if nobody reads it, otherwise another pending job; nil: there is none.
func (h *ahead) free(wanted *job) *job {
	h.mu.Lock()
	defer h.mu.Unlock()
	if wanted != nil && !wanted.taken {
		wanted.taken = true
		return wanted
	}
	for h.next < len(h.jobs) && h.jobs[h.next].taken {
		h.next++
	}
	if h.next < len(h.jobs) && !h.over && h.bytes < BuildLimit {
		h.jobs[h.next].taken = true
		return h.jobs[h.next]
	}
	if wanted == nil {
		h.readers--
	}
	return nil
}

func (h *ahead) read(j *job, s *source) {
	j.got = s.read(j.path)
	close(j.done)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.bytes += len(j.got.text)
}

// take returns the content of a requested file; false: it was not requested.
func (h *ahead) take(name string, s *source) (loaded, bool) {
	j := h.byName[name]
	if j == nil {
		return loaded{}, false
	}
	for {
		select {
		case <-j.done:
			return j.got, true
		default:
		}
		other := h.free(j)
		if other == nil {
			<-j.done
			return j.got, true
		}
		h.read(other, s)
	}
}

// close ends the reading; files that have not been read yet are skipped.
func (h *ahead) close() {
	h.mu.Lock()
	h.over, h.jobs, h.next, h.byName = true, nil, 0, nil
	h.mu.Unlock()
	h.group.Wait()
}
