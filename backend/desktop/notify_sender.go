package desktop

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"mutsumi/backend/lock"
)

// senderNotifier shows notifications through a Sender. It is safe for
// concurrent use.
type senderNotifier struct {
	sender Sender
	prefix string // of this process: the system shares ids among all of them

	mu     lock.Mutex
	last   uint32
	closed bool
}

func newSenderNotifier(sender Sender, clicked func(id uint32)) *senderNotifier {
	n := &senderNotifier{sender: sender, prefix: "mutsumi-" + strconv.Itoa(os.Getpid()) + "-"}
	sender.OnClick(func(name string) {
		rest, ours := strings.CutPrefix(name, n.prefix)
		id, err := strconv.ParseUint(rest, 10, 32)
		if ours && err == nil {
			clicked(uint32(id))
		}
	})
	return n
}

// Show shows a notification, replacing the one with the id replaces unless that is 0, and returns
// its id. An error means that the system shows none.
func (n *senderNotifier) Show(note Notification, replaces uint32) (uint32, error) {
	n.mu.Lock()
	if n.closed {
		n.mu.Unlock()
		return 0, errors.New("the program is closing")
	}
	id := replaces
	if id == 0 {
		n.last++
		id = n.last
	}
	n.mu.Unlock()
	if err := n.sender.Send(n.name(id), inert(note.Title), inert(note.Body)); err != nil {
		return 0, fmt.Errorf("show a notification: %w", err)
	}
	return id, nil
}

// Withdraw removes a notification. A missing one is not an error.
func (n *senderNotifier) Withdraw(id uint32) { n.sender.Remove(n.name(id)) }

// Badge does nothing: the window's library has no count for the icon.
func (n *senderNotifier) Badge(int) error { return nil }

// Close prevents further notifications. Visible ones stay.
func (n *senderNotifier) Close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.closed = true
}

func (n *senderNotifier) name(id uint32) string { return n.prefix + strconv.FormatUint(uint64(id), 10) }

// inert returns text that contains no code. On Windows the library writes it into CDATA without
// escaping and, if toasts cannot be shown otherwise, that into a PowerShell string in which $(...)
// and backticks are executed; a line that begins with "@ ends the string. The text comes from
// models, so these characters are replaced by ones that look the same.
func inert(text string) string {
	text = strings.NewReplacer("$", "＄", "`", "‘", "]]>", "]]＞").Replace(text)
	return strings.Map(func(r rune) rune {
		switch {
		case r < ' ' || r == 0x7f || r == '\u0085' || r == '\u2028' || r == '\u2029':
			return ' '
		case r == '\ufffe' || r == '\uffff':
			return -1
		}
		return r
	}, text)
}
