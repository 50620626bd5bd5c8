package mcp

import "mutsumi/backend/lock"

// wishes are what the person wants of a server: that it is stopped, or started anew. They are
// carried out one after the other in the order in which they came; of those that wait the last
// one counts.
type wishes struct {
	mu      lock.Mutex
	busy    bool
	waiting *wish
}

type wish struct {
	left State         // that the server is to be left in: Stopped, or Configured for one that starts
	done chan struct{} // closed once the server is in it
}

// want notes a wish, and returns what is closed once it, or one that came after it, is
// carried out.
func (v *server) want(left State) <-chan struct{} {
	w := &v.wants
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.waiting != nil {
		w.waiting.left = left
		return w.waiting.done
	}
	w.waiting = &wish{left, make(chan struct{})}
	if !w.busy {
		w.busy = true
		go v.carryOut()
	}
	return w.waiting.done
}

// carryOut carries out wishes until none is left.
func (v *server) carryOut() {
	for {
		v.wants.mu.Lock()
		now := v.wants.waiting
		v.wants.waiting, v.wants.busy = nil, now != nil
		v.wants.mu.Unlock()
		if now == nil {
			return
		}
		v.stop(now.left)
		close(now.done)
		v.changed(true)
	}
}
