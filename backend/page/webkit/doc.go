// Package webkit is the web view of a window on Linux as package page needs it: it says
// when the page's process ends, asks the page whether it answers, loads it again, and puts
// a text with two buttons in its place. Wails makes the view; it is found in the window.
//
// All of it but this comment is compiled into the program with a window alone: no other
// package can depend on it.
package webkit
