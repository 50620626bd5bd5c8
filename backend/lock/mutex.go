//go:build !deadlock

package lock

import "sync"

// Mutex is a mutual exclusion lock.
type Mutex = sync.Mutex
