package desktop

// Notification is shown by the system while the program's window is not in front. Title and Body
// are plain text, whatever they contain.
type Notification struct {
	Title, Body string
	Urgent      bool // somebody waits for the person
}

// Sender shows notifications through the window's own library, where the
// system gives them to programs with a window only (macOS, Windows). The ids are
// the caller's. Its functions may be called from any goroutine.
type Sender struct {
	// Send shows plain text, replacing the notification with the same id if the system can do that.
	// It waits a few seconds at most.
	Send func(id, title, body string) error
	// Remove takes a notification away where the system can do that.
	Remove func(id string)
	// OnClick sets a function that is called, on any goroutine, with the id of a clicked
	// notification, from any process of the program.
	OnClick func(clicked func(id string))
}

// program identifies the program to the desktop: its name, its icon, and its entry in the menu
// (build/linux/mutsumi.desktop).
const (
	program      = "Mutsumi"
	programIcon  = "mutsumi"
	programEntry = "mutsumi"
)

// openLabel is the text of the button of a notification, where the desktop shows one.
const openLabel = "Open"
