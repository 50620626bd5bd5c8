package documents

import (
	"maps"
	"sync"

	"mutsumi/backend/event"
	"mutsumi/backend/lock"
	"mutsumi/backend/notebook"
)

// windows tracks which windows show which notebooks. A notebook is unloaded when the last window
// closes it. A window whose event stream ended does not count until it reconnects; it then learns
// what was unloaded.
type windows struct {
	mu      lock.Mutex
	of      map[string]map[string]bool // path -> windows
	streams map[string]int             // window -> its event streams
}

// show notes that a window shows a notebook.
func (r *windows) show(path, window string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.of == nil {
		r.of = map[string]map[string]bool{}
	}
	if r.of[path] == nil {
		r.of[path] = map[string]bool{}
	}
	r.of[path][window] = true
}

// leave notes that a window no longer shows a notebook. It reports whether another window
// does, and whether one without an event stream may.
func (r *windows) leave(path, window string) (shown, away bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.of[path], window)
	for other := range r.of[path] {
		if r.streams[other] > 0 {
			shown = true
		} else {
			away = true
		}
	}
	if len(r.of[path]) == 0 || !shown {
		delete(r.of, path)
	}
	return shown, away
}

// move notes that a notebook has another path.
func (r *windows) move(from, to string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.of[from] == nil {
		return
	}
	if r.of[to] == nil {
		r.of[to] = map[string]bool{}
	}
	maps.Copy(r.of[to], r.of[from])
	delete(r.of, from)
}

// follow notes that a window reads the events, until the function it returns
// is called.
func (r *windows) follow(window string) (stop func()) {
	r.add(window, 1)
	return sync.OnceFunc(func() { r.add(window, -1) })
}

func (r *windows) add(window string, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.streams == nil {
		r.streams = map[string]int{}
	}
	if r.streams[window] += n; r.streams[window] <= 0 {
		delete(r.streams, window)
	}
}

// Follow notes that a window reads the events, until stop is called.
func (c *Calls) Follow(window string) (stop func()) { return c.reg.windows.follow(window) }

// Show is Notebook for a window that shows the notebook until it calls Leave.
func (c *Calls) Show(path, window string) (notebook.View, error) {
	c.reg.windows.show(path, window) // first: another window may close it right now
	v, err := c.Notebook(path)
	if err != nil {
		c.reg.windows.leave(path, window)
	}
	return v, err
}

// Leave notes that a window no longer shows a notebook, and unloads it unless another
// window does: loading it again may change the ids of the cells typed into there.
func (c *Calls) Leave(path, window string) error {
	shown, away := c.reg.windows.leave(path, window)
	if shown {
		return nil
	}
	if away {
		defer c.reg.out.Emit(event.NotebookReloaded{Path: path})
	}
	return c.CloseNotebook(path)
}
