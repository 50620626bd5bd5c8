package mcp

import "mutsumi/backend/lock"

// wishes are the person's requests to stop or restart a server. They are carried out one at a time,
// in the order in which they came; of several waiting wishes only the last one counts.
type wishes struct {
	mu      lock.Mutex
	busy    bool
	waiting *wish
}

type wish struct {
	left State         // the state to leave the server in: Stopped, or Configured before a start
	done chan struct{} // closed once the server is in it
}

// want adds a wish. The channel is closed once this wish, or a later one that replaced it, is
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
