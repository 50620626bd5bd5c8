//go:build !linux

package main

// largePages is for Linux.
func largePages() {}
