package coedit

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"mutsumi/backend/approval"
	"mutsumi/backend/fault"
	"mutsumi/backend/files"
	"mutsumi/backend/lock"
	"mutsumi/backend/tool"
)

// refreshInterval is how often the files of a waiting request are checked. They are also
// checked at the moment of the approval.
const refreshInterval = 400 * time.Millisecond

// Change is a call that changes files, with its agent.
type Change struct {
	Notebook string // the uuid of the agent's notebook
	CallID   string
	Folder   string // where the agent works, absolute
	Call     tool.Call
}

// Shown is a request that is shown to the person. It watches the files that the call
// would change for as long as it waits.
type Shown struct {
	tracker *Tracker
	change  Change
	make    func(context.Context, *Shown) approval.Request
	ctx     context.Context // ends with the wait
	cancel  context.CancelFunc
	// changing is held while the request is built and handed to the inbox, so that an older one never
	// replaces a newer one.
	changing lock.Mutex
	renewed  atomic.Pointer[approval.Renewed]
	shownMs  atomic.Int64 // when these changes were shown
}

// Show begins a wait for the person. renewed is the reason why they are asked again, nil the first
// time; request builds the current request. Close ends the wait.
func (t *Tracker) Show(ctx context.Context, c Change, renewed *approval.Renewed, request func(context.Context, *Shown) approval.Request) *Shown {
	s := &Shown{tracker: t, change: c, make: request}
	s.ctx, s.cancel = context.WithCancel(ctx)
	s.renewed.Store(renewed)
	return s
}

// Close ends the wait.
func (s *Shown) Close() { s.cancel() }

// Renewed returns the reason why the person is asked again, nil the first time.
func (s *Shown) Renewed() *approval.Renewed { return s.renewed.Load() }

// Request builds the current request.
func (s *Shown) Request() approval.Request {
	s.shownMs.Store(time.Now().UnixMilli())
	return s.make(s.ctx, s)
}

// renew is Request for a request that comes back from hold. s.changing is held.
func (s *Shown) renew() approval.Request {
	s.refresh()
	return s.Request()
}

// Start watches the files of changes until the wait ends. It must be called once the inbox has the
// request.
func (s *Shown) Start(changes []approval.FileChange) {
	s.tracker.Recheck() // an agent may have ended since the conflicts were read
	var names []string
	for _, c := range changes {
		names = append(names, files.Absolute(s.change.Folder, c.Path))
	}
	if len(names) > 0 {
		s.tracker.start(func() { s.follow(names) })
	}
}

func (s *Shown) follow(names []string) {
	tick := time.NewTicker(refreshInterval)
	defer tick.Stop()
	for was := ""; ; { // the first look includes earlier changes
		select {
		case <-s.ctx.Done():
			return
		case <-tick.C:
			if now := stamps(names); now != was {
				was = now
				s.Refresh()
			}
		}
	}
}

// stamps returns the sizes and times of files, to detect that one changed.
func stamps(names []string) string {
	var b strings.Builder
	for _, file := range names {
		if info, err := os.Stat(file); err == nil {
			fmt.Fprintf(&b, "%d %d\n", info.Size(), info.ModTime().UnixNano())
		} else {
			b.WriteString("-\n")
		}
	}
	return b.String()
}

// Refresh renews the request if its changes differ from the ones shown, and sends it back if
// nothing would change any longer.
func (s *Shown) Refresh() {
	s.changing.Lock()
	defer s.changing.Unlock()
	s.refresh()
}

// refresh is Refresh. s.changing is held.
func (s *Shown) refresh() {
	inbox := s.tracker.inbox
	waiting := inbox.Pending()
	at := slices.IndexFunc(waiting, func(r approval.Request) bool {
		return r.Notebook == s.change.Notebook && r.CallID == s.change.CallID
	})
	if at < 0 || waiting[at].Fingerprint == "" {
		return
	}
	r := waiting[at]
	changes, err := changesOf(s.ctx, s.change.Call)
	switch {
	case s.ctx.Err() != nil, err == nil && fingerprint(changes) == r.Fingerprint:
	case err != nil, !slices.ContainsFunc(changes, changesSomething):
		inbox.SendBack(r.ID) // the inbox ignores a request that has been decided
	default:
		s.renewed.Store(s.tracker.renewedBy(s.change, r.Changes, s.shownMs.Load()))
		next := s.Request()
		next.Conflicts = withEarlier(next.Conflicts, r.Conflicts) // keep showing what it waits for
		inbox.Refresh(r.ID, next)
	}
}

func changesSomething(c tool.Change) bool { return c.New || c.Before != c.After }

// renewedBy returns which file, and which agent if known, made changes differ from those
// that were shown at shownMs.
func (t *Tracker) renewedBy(of Change, changes []approval.FileChange, shownMs int64) *approval.Renewed {
	renewed := &approval.Renewed{AtMs: time.Now().UnixMilli()}
	for _, c := range changes {
		renewed.File = cmp.Or(renewed.File, c.Path)
		if by, atMs := t.wroteSince(of.Notebook, files.Absolute(of.Folder, c.Path), shownMs); by != "" {
			return &approval.Renewed{File: c.Path, By: by, AtMs: atMs}
		}
	}
	return renewed
}

// AsApproved returns the changes of a call that a person allowed at atMs (Unix milliseconds); nil
// if no person saw them. renewed is set if they differ from the changes that the person saw.
func (t *Tracker) AsApproved(ctx context.Context, c Change, d approval.Decision, atMs int64) (changes []tool.Change, renewed *approval.Renewed) {
	if d.Fingerprint() == "" {
		return nil, nil
	}
	changes, err := changesOf(ctx, c.Call)
	if err == nil && fingerprint(changes) == d.Fingerprint() {
		return changes, nil
	}
	var list []approval.FileChange
	for _, x := range changes {
		list = append(list, approval.FileChange{Path: x.Path})
	}
	return changes, t.renewedBy(c, list, atMs)
}

// Fingerprint identifies exactly the changes that a call makes with these arguments; "" for none.
// tools are for arguments other than its own; nil: Invalid.
func Fingerprint(ctx context.Context, call tool.Call, tools *tool.Registry, arguments string) (string, error) {
	if arguments != string(call.Args) {
		if tools == nil {
			return "", fault.New(fault.Invalid, "this request is decided as it is")
		}
		var err error
		if call, err = tools.Prepare(call.Tool.Name(), arguments); err != nil {
			return "", err
		}
	}
	changes, err := changesOf(ctx, call)
	return fingerprint(changes), err
}

// changesOf returns the changes that a call would make in the present files, even those that
// changed since the agent read them, because a person reviews it. nil: the tool does not know.
func changesOf(ctx context.Context, call tool.Call) ([]tool.Change, error) {
	if call.Preview == nil {
		return nil, nil
	}
	changes, err := call.Preview(ctx, tool.Env{Afresh: true})
	if err != nil {
		return nil, err
	}
	return changes, nil
}

// fingerprint identifies exactly these changes; "" for none.
func fingerprint(changes []tool.Change) string {
	if len(changes) == 0 {
		return ""
	}
	h := sha256.New()
	for _, c := range changes {
		fresh := ""
		if c.New {
			fresh = "new"
		}
		for _, text := range []string{c.Path, fresh, c.Before, c.After} {
			h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(text))))
			h.Write([]byte(text))
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
