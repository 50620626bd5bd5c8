package lock_test

import (
	"sync"
	"testing"
	"time"

	"mutsumi/backend/lock"
)

func TestWhoDoesIsAlone(t *testing.T) {
	var g lock.Guarded[int]
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			g.Do(func(n *int) {
				before := *n
				time.Sleep(10 * time.Microsecond)
				*n = before + 1
			})
		})
	}
	all.Wait()
	g.Do(func(n *int) {
		if *n != 100 {
			t.Errorf("100 goroutines counted to %d", *n)
		}
	})
}

func TestTryDoDoesNotWait(t *testing.T) {
	var g lock.Guarded[string]
	held, done := make(chan struct{}), make(chan struct{})
	go g.Do(func(*string) {
		close(held)
		<-done
	})
	<-held
	if g.TryDo(func(*string) { t.Error("two have the lock") }) {
		t.Error("the lock was free")
	}
	close(done)
	for tries := 0; !g.TryDo(func(s *string) { *s = "there" }); tries++ {
		if tries > 1000 {
			t.Fatal("the lock was never free again")
		}
		time.Sleep(time.Millisecond)
	}
}

func TestAPanicLetsTheLockGo(t *testing.T) {
	var g lock.Guarded[int]
	func() {
		defer func() { recover() }()
		g.Do(func(*int) { panic("here") })
	}()
	if !g.TryDo(func(*int) {}) {
		t.Error("the lock is held by nobody, and taken")
	}
}
