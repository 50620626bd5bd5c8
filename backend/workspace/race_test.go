//go:build race

package workspace_test

// With the race detector the tests of size are a tenth as large: it makes them many times
// slower. The tests of the order of locks run them whole.
const tenth = 10
