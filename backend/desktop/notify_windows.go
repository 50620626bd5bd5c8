package desktop

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"
)

// notifyTime is how long the system may take; the first start of the shell is slow.
const notifyTime = 20 * time.Second

// The scripts get their words from the environment, never as a piece of
// script, and put them into the toast as text nodes, never as markup.
const (
	toastHead = `$ErrorActionPreference = 'Stop'
[Windows.UI.Notifications.ToastNotificationManager, Windows.UI.Notifications, ContentType = WindowsRuntime] | Out-Null
$app = '{1AC14E77-02E7-4E5D-B744-2EB1AE5198B7}\WindowsPowerShell\v1.0\powershell.exe'
`
	toastShow = toastHead + `$xml = [Windows.UI.Notifications.ToastNotificationManager]::GetTemplateContent([Windows.UI.Notifications.ToastTemplateType]::ToastText02)
$text = $xml.GetElementsByTagName('text')
$text.Item(0).AppendChild($xml.CreateTextNode($env:MUTSUMI_NOTE_TITLE)) | Out-Null
$text.Item(1).AppendChild($xml.CreateTextNode($env:MUTSUMI_NOTE_BODY)) | Out-Null
$toast = [Windows.UI.Notifications.ToastNotification]::new($xml)
$toast.Tag = $env:MUTSUMI_NOTE_TAG
$toast.Group = 'mutsumi'
[Windows.UI.Notifications.ToastNotificationManager]::CreateToastNotifier($app).Show($toast)`
	toastHide = toastHead + `[Windows.UI.Notifications.ToastNotificationManager]::History.Remove($env:MUTSUMI_NOTE_TAG, 'mutsumi', $app)`
)

// Notifier shows toasts. A click on one is not told: it opens nothing.
type Notifier struct{ last atomic.Uint32 }

// NewNotifier makes a notifier; clicks are not told on this system.
func NewNotifier(func(id uint32)) *Notifier {
	n := &Notifier{}
	n.last.Store(uint32(os.Getpid()) << 12) // tags are shared by all windows of the program
	return n
}

// Show shows a toast, in the place of the one with the id replaces unless that
// is 0, and gives its id.
func (n *Notifier) Show(note Notification, replaces uint32) (uint32, error) {
	id := replaces
	if id == 0 {
		id = n.last.Add(1)
	}
	err := toast(toastShow, "MUTSUMI_NOTE_TITLE="+program+": "+note.Title, "MUTSUMI_NOTE_BODY="+note.Body, tag(id))
	if err != nil {
		return 0, fmt.Errorf("show a notification: %w", err)
	}
	return id, nil
}

// Withdraw takes a toast away. One that is gone is no error.
func (n *Notifier) Withdraw(id uint32) { _ = toast(toastHide, tag(id)) }

// Badge does nothing: the taskbar's count belongs to the window.
func (n *Notifier) Badge(int) error { return nil }

// Close does nothing.
func (n *Notifier) Close() {}

func tag(id uint32) string { return "MUTSUMI_NOTE_TAG=" + strconv.FormatUint(uint64(id), 10) }

func toast(script string, env ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), notifyTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "powershell.exe", "-NoProfile", "-NonInteractive", "-Command", script)
	cmd.Env = append(os.Environ(), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{HideWindow: true}
	return cmd.Run()
}
