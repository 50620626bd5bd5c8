// Package jobobject keeps a process on Windows together with everything that it starts, in a job
// object. Windows ends all of a job when its last handle is closed, and only this program has one:
// nothing of it outlives the program, however that ends. On other systems the package is empty.
package jobobject
