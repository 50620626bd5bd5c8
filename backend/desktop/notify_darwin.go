package desktop

import (
	"context"
	"fmt"
	"os/exec"
	"sync/atomic"
	"time"
)

// notifyTime is how long the system may take.
const notifyTime = 10 * time.Second

// notifyScript gets its words as arguments, never as a piece of script. The
// first argument is a word of ours, so that no text is taken for an option.
const notifyScript = `on run argv
	display notification (item 3 of argv) with title (item 2 of argv)
end run`

// Notifier shows notifications through the system's script runner. These
// cannot be replaced or taken away, and a click is not told: it opens nothing.
type Notifier struct{ last atomic.Uint32 }

// NewNotifier makes a notifier; clicks are not told on this system.
func NewNotifier(func(id uint32)) *Notifier { return &Notifier{} }

// Show shows a notification and gives it an id of its own.
func (n *Notifier) Show(note Notification, _ uint32) (uint32, error) {
	ctx, cancel := context.WithTimeout(context.Background(), notifyTime)
	defer cancel()
	if err := exec.CommandContext(ctx, "/usr/bin/osascript", "-e", notifyScript, "show", program+": "+note.Title, note.Body).Run(); err != nil {
		return 0, fmt.Errorf("show a notification: %w", err)
	}
	return n.last.Add(1), nil
}

// Withdraw does nothing: what was shown stays in the notification centre.
func (n *Notifier) Withdraw(uint32) {}

// Badge does nothing: the dock's count belongs to the window.
func (n *Notifier) Badge(int) error { return nil }

// Close does nothing.
func (n *Notifier) Close() {}
