// Package waittest waits in tests for a state that no event reports.
package waittest

import (
	"testing"
	"time"
)

// Until waits until is returns true. After a minute the test fails, and names what it waited for.
func Until(t testing.TB, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("waited in vain: ", what)
		}
	}
}
