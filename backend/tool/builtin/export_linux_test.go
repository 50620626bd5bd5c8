package builtin

import "testing"

// WithoutMounts has commands run as on a system that lets them have no mounts
// of their own.
func WithoutMounts(t testing.TB) {
	before := canMount
	canMount = func() bool { return false }
	t.Cleanup(func() { canMount = before })
}
