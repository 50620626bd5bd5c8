//go:build !linux

package desktop

// Notifier shows notifications through the window's library.
type Notifier struct{ *senderNotifier }

// NewNotifier makes a notifier. Clicked is called, on any goroutine, when the
// person clicks on a notification.
func NewNotifier(sender Sender, clicked func(id uint32)) *Notifier {
	return &Notifier{newSenderNotifier(sender, clicked)}
}
