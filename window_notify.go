//go:build desktop

package main

import (
	"errors"
	system "runtime"

	"github.com/wailsapp/wails/v2/pkg/runtime"

	desk "mutsumi/backend/desktop"
)

// folderKey names the folder in a notification's data.
const folderKey = "folder"

// noticeCenter is the window's state of system notifications.
type noticeCenter struct {
	ready  chan struct{} // closed when err is known
	err    error         // why the system shows none of ours
	folder string
}

// askForNotifications prepares notifications for a folder's window. macOS asks the person the first
// time, which may take minutes: nothing waits for it. Linux needs no preparation: there
// notifications go over D-Bus.
func (w *window) askForNotifications(folder string) {
	if system.GOOS == "linux" {
		return
	}
	w.notices = noticeCenter{ready: make(chan struct{}), folder: folder}
	go func() {
		defer close(w.notices.ready)
		if w.notices.err = runtime.InitializeNotifications(w.ctx); w.notices.err != nil {
			return
		}
		allowed, err := runtime.RequestNotificationAuthorization(w.ctx)
		if err == nil && !allowed {
			err = errors.New("the person allows no notifications")
		}
		w.notices.err = err
	}()
}

// Notifications shows notifications through wails. On Windows a toast cannot be removed or
// replaced: the next one is shown beside it.
func (w *window) Notifications() desk.Sender {
	if system.GOOS == "linux" {
		return desk.Sender{}
	}
	return desk.Sender{
		Send: func(id, title, body string) error {
			select {
			case <-w.notices.ready:
			default:
				return errors.New("the person has not allowed notifications yet")
			}
			if w.notices.err != nil {
				return w.notices.err
			}
			return runtime.SendNotification(w.ctx, runtime.NotificationOptions{ID: id, Title: title, Body: body, Data: map[string]any{folderKey: w.notices.folder}})
		},
		Remove: func(id string) {
			select {
			case <-w.notices.ready:
			default:
				return
			}
			if w.notices.err == nil {
				_ = runtime.RemoveDeliveredNotification(w.ctx, id) // it may already be gone
			}
		},
		OnClick: func(clicked func(id string)) {
			runtime.OnNotificationResponse(w.ctx, func(result runtime.NotificationResult) {
				if result.Error != nil {
					return
				}
				// The system may pass a click to any process of the program: at least bring the
				// window of the other folder to the front.
				if folder, _ := result.Response.UserInfo[folderKey].(string); folder != "" && folder != w.notices.folder {
					_, _ = w.openFolder(folder) // the folder may be gone
					return
				}
				clicked(result.Response.ID)
			})
		},
	}
}
