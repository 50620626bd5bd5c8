package desktop

// Notification is what the system shows of the program while its window is
// not in front. Title and Body are plain text, whatever they hold.
type Notification struct {
	Title, Body string
	Urgent      bool // somebody waits for the person
}

// program is how the desktop knows the program: its name, its icon, and its
// entry in the menu (build/linux/mutsumi.desktop).
const (
	program      = "Mutsumi"
	programIcon  = "mutsumi"
	programEntry = "mutsumi"
)

// openLabel stands on the button of a notification, where the desktop shows one.
const openLabel = "Open"
