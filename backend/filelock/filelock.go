// Package filelock locks open files, so that processes of the program keep out of each other's way.
// The lock is advisory and is released when the file is closed.
package filelock
