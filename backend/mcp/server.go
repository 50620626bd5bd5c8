package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"mutsumi/backend/clip"
	"mutsumi/backend/fault"
	"mutsumi/backend/lock"
	"mutsumi/backend/mcp/client"
	"mutsumi/backend/mcp/config"
	"mutsumi/backend/mcp/signin"
	"mutsumi/backend/subprocess"
)

// State is the state of a server.
type State string

const (
	Configured State = "configured" // it starts when it is first used
	Starting   State = "starting"
	Ready      State = "ready"
	Failed     State = "failed"
	SignIn     State = "signIn"  // somebody has to sign in first
	Stopped    State = "stopped" // by the person: it does not start on its own
)

// again is how long after a failure the next use may start a server again.
const again = 20 * time.Second

// relist is how long a list is used after it changed.
const relist = 5 * time.Second

// server is one server: its connection, if any, and its state.
type server struct {
	of    *Servers
	set   config.Server
	log   subprocess.Tail
	signs signs
	wants wishes

	mu       lock.Mutex
	state    State
	why      error     // the cause of Failed
	failed   time.Time // when it failed
	starting chan struct{}
	ending   chan struct{}      // closed once everything that stop ends is gone; nil: nothing is ending
	retired  bool               // it was removed, or the folder is closed: it does not start again
	cancel   context.CancelFunc // of the start
	live     *client.Conn
	listed   []client.Tool
	at       time.Time    // when they were listed; zero: they were not
	asked    time.Time    // when they were last asked for
	told     int          // how often the server said that they changed
	seen     int          // how many of these changes listed includes
	relists  *client.Conn // on which they are soon asked for again; nil: nothing is scheduled
	pins     map[string]pin
	pinsRaw  []byte // what pins was read from
	slow     bool   // somebody waited in vain for its last start, or for its tools
	offers   offers // what it offers besides its tools
}

func newServer(of *Servers, set config.Server) *server {
	return &server{of: of, set: set, state: Configured}
}

// wasSlow reports whether somebody waited in vain for the server, whose tools are not known yet, or
// changed since.
func (v *server) wasSlow() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.slow && (v.live == nil || v.at.IsZero() || v.isStale())
}

// isStale reports whether the server told of a change that its listed tools do not include. v.mu
// is held.
func (v *server) isStale() bool { return v.seen < v.told }

func (v *server) isStopped() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.state == Stopped
}

// conn returns the connection, and makes it if there is none. Concurrent callers wait for the same
// start, which goes on when one of them leaves.
func (v *server) conn(ctx context.Context) (*client.Conn, error) {
	if v.set.Problem != "" {
		return nil, fault.New(fault.Denied, "Could not use the MCP server %s: %s", v.set.Name, v.set.Problem)
	}
	for {
		v.mu.Lock()
		switch {
		case v.retired:
			v.mu.Unlock()
			return nil, errClosed
		case v.ending != nil: // never two processes, even while the previous one ends
			ending := v.ending
			v.mu.Unlock()
			select {
			case <-ending:
				continue
			case <-ctx.Done():
				return nil, fmt.Errorf("the MCP server %s is being stopped: try again soon", v.set.Name)
			}
		case v.live != nil && !isOver(v.live):
			c := v.live
			v.mu.Unlock()
			return c, nil
		case v.live != nil:
			v.ended()
			v.mu.Unlock()
			continue
		case v.state == Stopped:
			v.mu.Unlock()
			return nil, fault.New(fault.Denied, "the MCP server %s is stopped: the person can start it again", v.set.Name)
		case v.why != nil && time.Since(v.failed) < again:
			err := v.failure()
			v.mu.Unlock()
			return nil, err
		}
		begins := v.starting == nil
		if begins {
			v.begin()
		}
		started := v.starting
		v.mu.Unlock()
		if begins {
			v.changed(false)
		}
		select {
		case <-started:
		case <-ctx.Done():
			v.mu.Lock()
			v.slow = v.starting == started
			v.mu.Unlock()
			return nil, fmt.Errorf("the MCP server %s is still starting: try again soon", v.set.Name)
		}
	}
}

// begin starts the server in the background. v.mu is held.
func (v *server) begin() {
	v.state, v.why = Starting, nil
	done := make(chan struct{})
	v.starting = done
	ctx, cancel := context.WithCancel(context.Background())
	v.cancel = cancel
	go func() {
		conn, err := v.connect(ctx)
		v.mu.Lock()
		current := v.starting == done
		if current {
			v.starting = nil
			if err != nil {
				v.fail(err)
			} else {
				v.state, v.live, v.at = Ready, conn, time.Time{}
			}
		}
		v.mu.Unlock()
		cancel()
		if conn != nil && !current { // it was stopped in the meantime
			conn.Close()
		}
		var needed *signin.Needed
		if current && errors.As(err, &needed) {
			v.wantsSignIn() // before a caller's answer can make the person sign in
		}
		close(done)
		v.changed(false)
		if conn != nil && current {
			<-conn.Done()
			v.over(conn)
		}
	}()
}

func (v *server) connect(ctx context.Context) (*client.Conn, error) {
	set, err := v.fill(v.set)
	if err != nil {
		return nil, err
	}
	auth, err := v.auth()
	if err != nil {
		return nil, err
	}
	return client.Connect(ctx, client.Options{
		Server: set, Dir: v.of.with.Folder, Log: &v.log, Auth: auth, Timing: v.of.with.Timing,
		Changed: func(l client.List) {
			if l == client.Tools {
				v.listChanged()
			} else if v.offers.changed() {
				v.of.changed(Change{Server: v.set.Name})
			}
		},
		Updated: v.updated,
	})
}

// over notes that a connection ended by itself.
func (v *server) over(conn *client.Conn) {
	v.mu.Lock()
	if v.live == conn {
		v.ended()
	}
	v.mu.Unlock()
	v.changed(false)
}

// changed reports that the server's state changed, or, with offered, its tools.
func (v *server) changed(offered bool) { v.of.changed(Change{Server: v.set.Name, Offered: offered}) }

// listChanged notes that the server's tools changed. They are listed when somebody needs them, or
// soon, so that the interface shows them. A server that changes its list all the time is asked at
// most once per relist. If that fails, they are listed when somebody needs them, or after the next
// change.
func (v *server) listChanged() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.told++
	if v.live == nil || v.relists == v.live || v.at.IsZero() {
		return
	}
	conn := v.live
	v.relists = conn
	time.AfterFunc(max(0, relist-time.Since(v.asked)), func() {
		v.mu.Lock()
		if v.relists == conn {
			v.relists = nil
		}
		due := v.live == conn && v.isStale()
		v.mu.Unlock()
		if due {
			v.list(context.Background(), true) // a failure becomes its state
		}
	})
}

// ended notes that the connection is over. v.mu is held.
func (v *server) ended() {
	v.fail(v.live.Ended())
	v.live, v.failed = nil, time.Time{} // it did work: the next use may start it at once
}

func isOver(conn *client.Conn) bool {
	select {
	case <-conn.Done():
		return true
	default:
		return false
	}
}

// fail notes why the server cannot be used. v.mu is held.
func (v *server) fail(err error) {
	if errors.Is(err, context.Canceled) {
		err = errors.New("it was stopped")
	}
	v.state, v.why, v.failed = Failed, err, time.Now()
	var needed *signin.Needed
	if errors.As(err, &needed) {
		v.state = SignIn
	}
}

// failure says why the server failed, and quotes the most informative line of its log. v.mu is held.
func (v *server) failure() error {
	if v.state == SignIn {
		return v.needsSignIn(v.why)
	}
	text := v.why.Error()
	switch line, isLast := v.log.Telling(); {
	case isLast:
		text += fmt.Sprintf("; its last line is %q", clip.VisibleLine(line, 200))
	case line != "":
		text += fmt.Sprintf("; it printed %q", clip.VisibleLine(line, 200))
	}
	return fault.New(fault.Internal, "Could not use the MCP server %s: %s", v.set.Name, text)
}

// retire ends the server for good.
func (v *server) retire() {
	v.mu.Lock()
	v.retired = true
	v.mu.Unlock()
	v.endSignIn()
	v.stop(Stopped)
}

// stop ends the server and sets its state. It returns when the process is gone.
func (v *server) stop(left State) {
	v.mu.Lock()
	conn, starting, before, gone := v.live, v.starting, v.ending, make(chan struct{})
	v.live, v.starting, v.state, v.why, v.at, v.seen = nil, nil, left, nil, time.Time{}, v.told
	v.ending = gone
	if v.cancel != nil {
		v.cancel()
	}
	v.mu.Unlock()
	if conn != nil {
		conn.Close()
	}
	for _, other := range []chan struct{}{starting, before} {
		if other != nil {
			<-other
		}
	}
	v.mu.Lock()
	if v.ending == gone {
		v.ending = nil
	}
	v.mu.Unlock()
	close(gone)
}

// tools lists the server's tools, and starts the server if need be.
func (v *server) tools(ctx context.Context) ([]client.Tool, error) { return v.list(ctx, false) }

// list is tools; with now it reads a changed list at once. A list that could not be read stays
// changed.
func (v *server) list(ctx context.Context, now bool) ([]client.Tool, error) {
	conn, err := v.conn(ctx)
	if err != nil {
		return nil, err
	}
	v.mu.Lock()
	if !v.at.IsZero() && (!v.isStale() || !now && time.Since(v.at) < relist) {
		defer v.mu.Unlock()
		return slices.Clone(v.listed), nil
	}
	v.asked = time.Now()
	seen := v.told
	v.mu.Unlock()
	listed, err := conn.Tools(ctx)
	if err = v.signedOut(conn, err); fault.Is(err, fault.Denied) {
		return nil, err
	}
	if err != nil {
		v.mu.Lock()
		v.slow = v.slow || errors.Is(ctx.Err(), context.DeadlineExceeded) || client.IsSilent(err)
		v.mu.Unlock()
		return nil, fault.New(fault.Internal, "Could not list the tools of the MCP server %s: %w", v.set.Name, err)
	}
	slices.SortStableFunc(listed, func(a, b client.Tool) int { return strings.Compare(a.Name, b.Name) })
	listed = slices.CompactFunc(listed, func(a, b client.Tool) bool { return a.Name == b.Name })
	v.mu.Lock()
	if v.live == conn && seen >= v.seen { // a later list may have come first
		v.listed, v.at, v.slow, v.seen = listed, time.Now(), false, seen
	}
	v.mu.Unlock()
	v.noteLater(listed)
	v.changed(true)
	return slices.Clone(listed), nil
}

// known returns the tools of the last listing, even if the server ended since.
func (v *server) known() []client.Tool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.set.Problem != "" || v.state == Stopped {
		return nil
	}
	return slices.Clone(v.listed)
}
