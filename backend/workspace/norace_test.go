//go:build !race

package workspace_test

const tenth = 1
