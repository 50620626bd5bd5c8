package desktop

import (
	"errors"
	"strings"
	"testing"
)

// A system that shows notifications by their ids, as macOS does.
type noticeBoard struct {
	shown   map[string][2]string
	clicked func(id string)
	refuses error
}

func (b *noticeBoard) sender() Sender {
	return Sender{
		Send: func(id, title, body string) error {
			if b.refuses != nil {
				return b.refuses
			}
			b.shown[id] = [2]string{title, body}
			return nil
		},
		Remove:  func(id string) { delete(b.shown, id) },
		OnClick: func(clicked func(id string)) { b.clicked = clicked },
	}
}

func (b *noticeBoard) only(t *testing.T) (id string, text [2]string) {
	t.Helper()
	if len(b.shown) != 1 {
		t.Fatalf("%d are shown: %v", len(b.shown), b.shown)
	}
	for id, text = range b.shown {
	}
	return id, text
}

func TestNotificationsThroughTheWindow(t *testing.T) {
	board := &noticeBoard{shown: map[string][2]string{}}
	var clicks []uint32
	n := newSenderNotifier(board.sender(), func(id uint32) { clicks = append(clicks, id) })
	id, err := n.Show(Notification{Title: "A", Body: "first"}, 0)
	must(t, err)
	again, err := n.Show(Notification{Title: "A", Body: "second"}, id)
	must(t, err)
	name, text := board.only(t)
	if again != id || text != [2]string{"A", "second"} {
		t.Errorf("in its place: %d after %d, %v", again, id, text)
	}
	board.clicked(name)
	board.clicked("mutsumi-1-1") // of another window's process
	board.clicked(name + "x")
	if len(clicks) != 1 || clicks[0] != id {
		t.Errorf("clicks %v", clicks)
	}
	other, err := n.Show(Notification{Title: "B"}, 0)
	must(t, err)
	if other == id {
		t.Error("two notifications have one id")
	}
	n.Withdraw(other)
	if left, _ := board.only(t); left != name {
		t.Errorf("%s is left", left)
	}
	board.refuses = errors.New("not allowed")
	if _, err := n.Show(Notification{Title: "C"}, 0); !errors.Is(err, board.refuses) {
		t.Errorf("refused: %v", err)
	}
	board.refuses = nil
	must(t, n.Badge(2)) // shown nowhere, and no fault
	n.Close()
	if _, err := n.Show(Notification{Title: "D"}, 0); err == nil {
		t.Error("a closed notifier shows something")
	}
}

// A model's text may end up in a PowerShell string and in CDATA.
func TestNotificationsHoldNoCode(t *testing.T) {
	board := &noticeBoard{shown: map[string][2]string{}}
	n := newSenderNotifier(board.sender(), func(uint32) {})
	text := "costs $5 $(calc) `n\n\"@\r\n]]><action/>\u2028\"@ \x00 <b> & \"x\" 日本語"
	_, err := n.Show(Notification{Title: text, Body: text}, 0)
	must(t, err)
	_, shown := board.only(t)
	for _, s := range shown {
		if strings.ContainsAny(s, "$`\n\r\x00\u2028") || strings.Contains(s, "]]>") {
			t.Errorf("%q", s)
		}
		if !strings.Contains(s, "<b> & \"x\" 日本語") {
			t.Errorf("plain text is lost: %q", s)
		}
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
