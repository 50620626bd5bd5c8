// Package filelock takes the lock of an open file, so that processes of the
// program keep out of each other's way. The lock is advisory and goes with the
// closing of the file.
package filelock
