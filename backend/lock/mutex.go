//go:build !deadlock

package lock

import "sync"

// Mutex is a mutual exclusion lock.
type Mutex = sync.Mutex

// RWMutex is a lock that readers share.
type RWMutex = sync.RWMutex
