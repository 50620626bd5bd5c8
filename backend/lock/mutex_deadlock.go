//go:build deadlock

package lock

import "github.com/sasha-s/go-deadlock"

// Mutex is a mutual exclusion lock that reports a wrong order.
type Mutex = deadlock.Mutex

// RWMutex is a lock that readers share; it reports a wrong order.
type RWMutex = deadlock.RWMutex
