package desktop

// Notification is what the system shows of the program while its window is
// not in front. Title and Body are plain text, whatever they hold.
type Notification struct {
	Title, Body string
	Urgent      bool // somebody waits for the person
}

// Sender shows notifications through the window's own library, where the
// system gives them to programs with a window only (macOS, Windows). The ids are
// the caller's. Its functions may be called from any goroutine.
type Sender struct {
	// Send shows plain text, in the place of what has the same id where the
	// system can do that. It waits some seconds at most.
	Send func(id, title, body string) error
	// Remove takes a notification away where the system can do that.
	Remove func(id string)
	// OnClick sets what is called, on any goroutine, with the id of a
	// notification that the person clicked: of any process of the program.
	OnClick func(clicked func(id string))
}

// program is how the desktop knows the program: its name, its icon, and its
// entry in the menu (build/linux/mutsumi.desktop).
const (
	program      = "Mutsumi"
	programIcon  = "mutsumi"
	programEntry = "mutsumi"
)

// openLabel is the text of the button of a notification, where the desktop shows one.
const openLabel = "Open"
