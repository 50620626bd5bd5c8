// Package lock provides the locks of the program: a type for naming a lock, and one for a value
// that can only be reached while its lock is held.
//
// With the build tag deadlock the locks report two that are taken in both orders, one that its own
// holder takes again, and one that is waited for too long. It knows nothing of the locked data. The
// packages with state shared by several goroutines call it.
package lock

// Guarded holds a value and its lock: the value is reached through Do and TryDo
// alone. The zero Guarded holds the zero value.
type Guarded[T any] struct {
	mu    Mutex
	value T
}

// Do calls f with the value while the lock is held, which it waits for. f keeps
// no pointer to the value, and does not call Do of the same Guarded.
func (g *Guarded[T]) Do(f func(*T)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	f(&g.value)
}

// TryDo is Do if the lock is free; otherwise it returns false without calling f.
func (g *Guarded[T]) TryDo(f func(*T)) bool {
	if !g.mu.TryLock() {
		return false
	}
	defer g.mu.Unlock()
	f(&g.value)
	return true
}
