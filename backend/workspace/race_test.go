//go:build race

package workspace_test

// With the race detector the tests of large sizes use a tenth: it makes them many times slower. The
// tests of the lock order run them in full.
const tenth = 10
