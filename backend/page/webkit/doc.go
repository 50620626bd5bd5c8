// Package webkit adapts the web view of a window on Linux to package page. It reports when the
// page's process ends, asks the page whether it answers, reloads it, and replaces it by a text with
// two buttons. Wails makes the view; this package finds it in the window.
//
// Everything but this comment is compiled only into a program with a window: no other package can
// depend on it.
package webkit
