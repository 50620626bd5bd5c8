//go:build desktop && linux

package webkit

// #include <stdlib.h>
import "C"

import "unsafe"

// variables configure WebKit, for which there are no calls:
//
// It collects garbage before that grows to several times the live heap, at the price of more
// collections: a window is open all day, and its memory would grow as long as answers stream.
// WebKit first collects at 32 MB, and then whenever the heap has grown by heapGrowthMaxIncrease:
// with one half, a page that holds up to 21 MB stays within those 32.
//
// It does not try out the graphics card, which it would do for about 0.1 s before it starts the
// process of the page: Wails has the page drawn without one in any case.
var variables = map[string]string{
	"JSC_heapGrowthMaxIncrease":       "0.5",
	"WEBKIT_DISABLE_COMPOSITING_MODE": "1",
	"WEBKIT_DISABLE_DMABUF_RENDERER":  "1",
}

// Configure sets the environment variables of the window's libraries, for their own processes
// alone: what agents start does not get them. Values that the person set stay. dark makes the
// window dark before the page is drawn. Call it before the window is made.
func Configure(dark bool) {
	for name, value := range variables {
		set(name, value)
	}
	if dark {
		set("GTK_THEME", "Adwaita:dark")
	}
}

// set sets a variable of the C library, which os.Environ does not return, unless it is set.
func set(name, value string) {
	n, v := C.CString(name), C.CString(value)
	C.setenv(n, v, 0)
	C.free(unsafe.Pointer(n))
	C.free(unsafe.Pointer(v))
}
