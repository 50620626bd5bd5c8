package mcp

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"mutsumi/backend/clip"
	"mutsumi/backend/fault"
	"mutsumi/backend/lock"
	"mutsumi/backend/mcp/client"
	"mutsumi/backend/mcp/config"
	"mutsumi/backend/mcp/signin"
)

// beginTime is how long a server has to say where to sign in.
const beginTime = 45 * time.Second

// signs is the sign-in to a server, for all its successive connections.
type signs struct {
	mu      lock.Mutex
	session *signin.Session // nil: the server was not used yet, or has no sign-in
	attempt *signin.Attempt // waits for the browser
	problem error           // why the last attempt failed
	told    bool            // the person was notified that they have to sign in
	over    bool            // the server is no longer configured
}

// SignInView is the state of the sign-in to a server, as the interface shows it. Its texts may come
// from the server.
type SignInView struct {
	Can       bool     `json:"can"`       // the server can have a sign-in: it is reached over HTTP and gets no key
	In        bool     `json:"in"`        // somebody did
	Renews    bool     `json:"renews"`    // automatically
	ExpiresMs int64    `json:"expiresMs"` // when a token that does not renew itself expires, Unix; 0: unknown
	Waiting   bool     `json:"waiting"`   // for the browser
	Address   string   `json:"address"`   // to open in the browser, while Waiting
	Host      string   `json:"host"`      // of Address
	Wants     []string `json:"wants"`     // rights that a call needs but were not given
	Problem   string   `json:"problem"`   // why the last attempt failed
	Unkept    string   `json:"unkept"`    // why it ends with the program
}

// signInView is called without v.mu.
func (v *server) signInView() SignInView {
	out := SignInView{Can: v.canSignIn() && v.set.Problem == "", Wants: []string{}}
	if !out.Can {
		return out
	}
	if !strings.Contains(v.set.URL+v.set.OAuth.ClientID+v.set.OAuth.ClientSecret, "${keyring:") { // that would ask the keyring
		v.session() // an error is reported when it starts
	}
	v.signs.mu.Lock()
	defer v.signs.mu.Unlock()
	session := v.signs.session
	if v.signs.problem != nil {
		out.Problem = clip.VisibleLine(v.signs.problem.Error(), 1000)
	}
	if a := v.signs.attempt; a != nil {
		out.Waiting, out.Address, out.Host = true, a.Address, a.Host
	}
	if session == nil {
		return out
	}
	st := session.Standing()
	out.In, out.Renews = st.In, st.Renews
	if !st.Expires.IsZero() && !st.Renews {
		out.ExpiresMs = st.Expires.UnixMilli()
	}
	for _, w := range st.Wants {
		out.Wants = append(out.Wants, clip.VisibleLine(w, 100))
	}
	if st.Unkept != nil {
		out.Unkept = clip.VisibleLine(st.Unkept.Error(), 300)
	}
	return out
}

func (v *server) canSignIn() bool { return v.set.URL != "" && !v.set.Keyed() }

// from names the owner of the server's keyring entries.
func (v *server) from() string {
	if v.set.From == config.Folder {
		return v.of.with.Folder
	}
	return ""
}

// fill resolves the references in a server's configuration.
func (v *server) fill(set config.Server) (config.Server, error) {
	look := config.Lookup{Env: os.LookupEnv}
	if v.of.with.Keyring != nil {
		look.Keyring = func(name string) (string, error) { return v.of.with.Keyring(v.from(), name) }
	}
	return set.Expand(look)
}

// session returns the sign-in to the server. It belongs to the server's name and address, and for a
// folder's server also to the folder.
func (v *server) session() (*signin.Session, error) {
	if !v.canSignIn() {
		return nil, nil
	}
	v.signs.mu.Lock()
	defer v.signs.mu.Unlock()
	if v.signs.session != nil {
		return v.signs.session, nil
	}
	set, err := v.fill(config.Server{Name: v.set.Name, URL: v.set.URL, OAuth: v.set.OAuth})
	if err != nil {
		return nil, err
	}
	var keep signin.Keep = &signin.Memory{}
	if v.of.with.SignIns != nil {
		keep = v.of.with.SignIns(v.from(), set.Name, set.URL)
	}
	v.signs.session = signin.New(signin.Options{
		Server: set.URL, Keep: keep, Network: v.of.with.Network, Say: v.of.with.Say,
		Registered: signin.Registered{
			ID: set.OAuth.ClientID, Secret: set.OAuth.ClientSecret, Issuer: set.OAuth.Issuer, Scopes: set.OAuth.Scopes, Port: set.OAuth.CallbackPort, Host: set.OAuth.CallbackHost,
		},
	})
	return v.signs.session, nil
}

// auth returns what authenticates requests to the server; nil: nothing.
func (v *server) auth() (client.Auth, error) {
	session, err := v.session()
	if session == nil {
		return nil, err
	}
	return session, nil
}

// signedOut checks whether a call was refused because somebody has to sign in. If so, it notes
// that, asks the person to sign in, and returns an error with which an agent can go on without the
// server; otherwise it returns err.
func (v *server) signedOut(conn *client.Conn, err error) error {
	var needed *signin.Needed
	if !errors.As(err, &needed) {
		return err
	}
	v.mu.Lock()
	if current := v.live == conn; current && !needed.Rights {
		v.live = nil
		v.fail(needed)
	}
	v.mu.Unlock()
	if !needed.Rights {
		go conn.CloseFor(needed) // others that call it hear the same
	}
	v.wantsSignIn()
	v.changed(false)
	return v.needsSignIn(needed)
}

func (v *server) needsSignIn(why error) error {
	return fault.New(fault.Denied, "the MCP server %s wants to know who asks, and %w. They do so in the settings under MCP servers, or with `mutsumi mcp sign-in %s`", v.set.Name, why, v.set.Name)
}

// wantsSignIn asks the person to sign in: once, until they did.
func (v *server) wantsSignIn() {
	v.signs.mu.Lock()
	tell := !v.signs.told && v.signs.attempt == nil && !v.signs.over
	v.signs.told = true
	v.signs.mu.Unlock()
	if tell && v.of.with.SignInWanted != nil {
		v.of.with.SignInWanted(v.set.Name)
	}
}

// endSignIn ends a waiting attempt and the session when the server is no longer used.
func (v *server) endSignIn() {
	v.signs.mu.Lock()
	attempt, session := v.signs.attempt, v.signs.session
	v.signs.over = true
	v.signs.mu.Unlock()
	if attempt != nil {
		attempt.Close()
	}
	if session != nil {
		session.Close()
	}
}

// SignIn prepares a sign-in to a server that the person asked for, and returns the page to open. It
// goes on in the background until the browser comes back; a second call joins the first attempt.
// done gets the result.
func (s *Servers) SignIn(ctx context.Context, name string, done func(error)) (*signin.Attempt, error) {
	have, err := s.find(name)
	if err != nil {
		return nil, err
	}
	if have.set.Problem != "" {
		return nil, fault.New(fault.Denied, "Could not sign in to %s: %s", name, have.set.Problem)
	}
	session, err := have.session()
	switch {
	case err != nil:
		return nil, fault.New(fault.Invalid, "Could not sign in to %s: %w", name, err)
	case session == nil:
		return nil, fault.New(fault.Invalid, "Could not sign in to %s: nobody signs in to a server that is started here, or that is sent a key", name)
	}
	have.signs.mu.Lock()
	have.signs.told = true // they know
	have.signs.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, beginTime)
	defer cancel()
	if session.Standing().Wants == nil { // a request makes the server say what it wants
		have.conn(ctx)
	}
	attempt, err := session.Begin(ctx)
	if err != nil {
		err = fault.New(fault.Internal, "Could not sign in to %s: %w", name, err)
		have.tried(nil, err)
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	have.signs.mu.Lock()
	before, over := have.signs.attempt, have.signs.over || s.closed
	if !over && before == nil {
		have.signs.attempt, have.signs.problem = attempt, nil
		s.ending.Add(1)
		go s.signingIn(have, attempt, done)
	}
	have.signs.mu.Unlock()
	switch {
	case over:
		attempt.Close()
		return nil, errClosed
	case before != nil: // another window began an attempt
		attempt.Close()
		return before, nil
	}
	return attempt, nil
}

// signingIn waits for the browser, and restarts the server after a successful sign-in.
func (s *Servers) signingIn(have *server, attempt *signin.Attempt, done func(error)) {
	defer s.ending.Done()
	have.changed(false)
	err := attempt.Wait(context.Background()) // endSignIn ends it at the latest
	if err != nil && !errors.Is(err, context.Canceled) {
		err = fault.New(fault.Internal, "Could not sign in to %s: %w", have.set.Name, err)
	}
	have.tried(attempt, err)
	if err == nil && !have.isReady() && !have.isStopped() { // a server that the person has stopped stays stopped
		<-have.want(Configured)
		go have.tools(context.Background()) // a failure becomes its state
	}
	have.changed(false)
	if done != nil {
		done(err)
	}
}

// tried notes the result of an attempt.
func (v *server) tried(attempt *signin.Attempt, err error) {
	v.signs.mu.Lock()
	if v.signs.attempt == attempt {
		v.signs.attempt = nil
	}
	v.signs.problem = nil
	if err != nil && !errors.Is(err, context.Canceled) {
		v.signs.problem = err
	}
	v.signs.told = err != nil
	v.signs.mu.Unlock()
	v.changed(false)
}

func (v *server) isReady() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.live != nil
}

// CancelSignIn gives up a sign-in that waits for the browser.
func (s *Servers) CancelSignIn(name string) error {
	have, err := s.find(name)
	if err != nil {
		return err
	}
	have.signs.mu.Lock()
	attempt := have.signs.attempt
	have.signs.mu.Unlock()
	if attempt != nil {
		attempt.Close()
	}
	return nil
}

// SignOut forgets a sign-in, and makes the server forget it if possible. note says why the server
// could not be told; "": it was, or it offers no way.
func (s *Servers) SignOut(ctx context.Context, name string) (note string, err error) {
	have, err := s.find(name)
	if err != nil {
		return "", err
	}
	session, err := have.session()
	if err == nil && session == nil {
		err = errors.New("nobody signs in to it")
	}
	if err != nil {
		return "", fault.New(fault.Invalid, "Could not sign out of %s: %w", name, err)
	}
	if err := s.CancelSignIn(name); err != nil {
		return "", err
	}
	told, err := session.Out(ctx)
	if err != nil {
		return "", fault.New(fault.Internal, "Could not sign out of %s: %w", name, err)
	}
	left := Configured
	if have.isStopped() {
		left = Stopped
	}
	<-have.want(left)
	have.tried(nil, nil)
	if told != nil {
		note = clip.VisibleLine(told.Error(), 500)
	}
	return note, nil
}
