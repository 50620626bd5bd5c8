// Package serve is the program as an agent for editors (SPEC 14.4): it speaks the Agent Client
// Protocol with an editor, which shows the notebooks of a folder as its conversations. A session is a
// notebook, under its uuid. Package cli starts it.
//
// It decides nothing about approvals: what the folder's inbox asks the person goes to the editor,
// and the answer back. It runs nothing of the editor's: files are read and written here, and the
// servers that an editor offers are left out.
package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/coder/acp-go-sdk"

	"mutsumi/backend/fault"
	"mutsumi/backend/lock"
	"mutsumi/backend/version"
	"mutsumi/backend/workspace"
)

// Folder is an open folder. Close saves and ends what belongs to it.
type Folder struct {
	Workspace *workspace.Workspace
	Close     func() error
}

// Options say how to serve.
type Options struct {
	Open func(folder string) (Folder, error) // opens an absolute path; its agents ask for what changes something
	Say  func(line string)                   // takes a line for the log of the editor
}

// server serves one editor.
type server struct {
	Options
	*conn
	ctx     context.Context // ends what follows the folders
	folders lock.Guarded[map[string]*opening]
	open    lock.Guarded[map[string]*session] // by id
	forms   atomic.Bool                       // the editor can show a form
}

// opening is a folder that is open, or being opened until done is closed.
type opening struct {
	done   chan struct{}
	folder *folder
	err    error
}

// Serve speaks the protocol on in and out until in ends, ctx does, or nobody reads out any more.
// Then every run is stopped and saved, and the folders are closed.
func Serve(ctx context.Context, o Options, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &server{Options: o, conn: newConn(), ctx: ctx}
	s.folders.Do(func(all *map[string]*opening) { *all = map[string]*opening{} })
	s.open.Do(func(all *map[string]*session) { *all = map[string]*session{} })
	err := s.run(ctx, in, out, s.handle)
	cancel()
	var folders []*folder
	s.folders.Do(func(all *map[string]*opening) {
		for _, key := range sorted(*all) {
			if f := (*all)[key].folder; f != nil {
				folders = append(folders, f)
			}
		}
	})
	errs := []error{err}
	for _, f := range folders {
		<-f.followed
		errs = append(errs, f.close())
	}
	return errors.Join(errs...)
}

// handle returns the work for a message of the editor. It is called for one message at a time.
func (s *server) handle(method string, raw json.RawMessage) work {
	switch method {
	case acp.AgentMethodInitialize:
		s.forms.Store(showsForms(raw))
		return func(context.Context) (any, func(), error) { return initialized(), nil, nil }
	case acp.AgentMethodSessionNew:
		return request(raw, s.newSession)
	case acp.AgentMethodSessionLoad:
		return request(raw, func(ctx context.Context, p place) (any, func(), error) { return s.loadSession(p, true) })
	case acp.AgentMethodSessionResume:
		return request(raw, func(ctx context.Context, p place) (any, func(), error) { return s.loadSession(p, false) })
	case acp.AgentMethodSessionList:
		return request(raw, s.listSessions)
	case acp.AgentMethodSessionClose:
		return request(raw, s.closeSession)
	case acp.AgentMethodSessionPrompt:
		return s.prompt(raw)
	case acp.AgentMethodSessionCancel:
		if p, err := params[acp.CancelNotification](raw); err == nil {
			if session, err := s.session(p.SessionId); err == nil {
				session.stop()
			}
		}
		return nil
	case acp.AgentMethodSessionSetMode:
		return request(raw, func(_ context.Context, p acp.SetSessionModeRequest) (any, func(), error) {
			then, err := s.choose(p.SessionId, optionMode, string(p.ModeId))
			return acp.SetSessionModeResponse{}, then, err
		})
	case acp.AgentMethodSessionSetModel:
		return request(raw, func(_ context.Context, p acp.UnstableSetSessionModelRequest) (any, func(), error) {
			then, err := s.choose(p.SessionId, optionModel, string(p.ModelId))
			return acp.UnstableSetSessionModelResponse{}, then, err
		})
	case acp.AgentMethodSessionSetConfigOption:
		return request(raw, s.setOption)
	}
	return refused(acp.NewMethodNotFound(method))
}

// request is the work of f with the parameters of a request.
func request[P any](raw json.RawMessage, f func(context.Context, P) (any, func(), error)) work {
	return func(ctx context.Context) (any, func(), error) {
		p, err := params[P](raw)
		if err != nil {
			return nil, nil, err
		}
		return f(ctx, p)
	}
}

// initialized is what the editor learns about this program.
func initialized() acp.InitializeResponse {
	return acp.InitializeResponse{
		ProtocolVersion: acp.ProtocolVersionNumber,
		AgentInfo:       &acp.Implementation{Name: "mutsumi", Title: acp.Ptr("Mutsumi"), Version: version.Number},
		AuthMethods:     []acp.AuthMethod{},
		AgentCapabilities: acp.AgentCapabilities{
			LoadSession:        true,
			PromptCapabilities: acp.PromptCapabilities{Image: true, EmbeddedContext: true},
			SessionCapabilities: acp.SessionCapabilities{
				List: &acp.SessionListCapabilities{}, Resume: &acp.SessionResumeCapabilities{}, Close: &acp.SessionCloseCapabilities{},
			},
		},
	}
}

// folderAt returns the open folder of a path, and opens it if need be: once for all sessions.
func (s *server) folderAt(path string) (*folder, error) {
	if !filepath.IsAbs(path) {
		return nil, invalid("Could not open the folder %q: its path has to be absolute.", path)
	}
	key, err := filepath.EvalSymlinks(path)
	if info, statErr := os.Stat(path); err != nil || statErr != nil || !info.IsDir() {
		return nil, invalid("Could not open the folder %s: there is no such folder.", path)
	}
	var o *opening
	var mine bool
	s.folders.Do(func(all *map[string]*opening) {
		if o = (*all)[key]; o == nil {
			o, mine = &opening{done: make(chan struct{})}, true
			(*all)[key] = o
		}
	})
	if !mine {
		<-o.done
		return o.folder, o.err
	}
	defer close(o.done)
	opened, err := s.Open(filepath.Clean(path))
	if err != nil {
		o.err = broken("Could not open the folder %s: %v", path, err)
		s.folders.Do(func(all *map[string]*opening) { delete(*all, key) })
		return nil, o.err
	}
	f := &folder{server: s, ws: opened.Workspace, close: opened.Close, followed: make(chan struct{})}
	f.busy.Do(func(busy *map[string]bool) { *busy = map[string]bool{} })
	go func() {
		defer close(f.followed)
		f.follow()
	}()
	s.folders.Do(func(*map[string]*opening) { o.folder = f })
	return f, nil
}

// session returns an open session.
func (s *server) session(id acp.SessionId) (found *session, err error) {
	s.open.Do(func(all *map[string]*session) { found = (*all)[string(id)] })
	if found == nil {
		return nil, missing("Could not find the session %s: load it first.", id)
	}
	return found, nil
}

// update tells the editor something about a session.
func (s *server) update(id string, u acp.SessionUpdate) {
	s.tell(acp.ClientMethodSessionUpdate, acp.SessionNotification{SessionId: acp.SessionId(id), Update: u})
}

// invalid, missing and broken are errors for the editor alone, which shows them in English: about what
// it asks for, and about what went wrong here.
func invalid(format string, args ...any) error {
	return &acp.RequestError{Code: -32602, Message: sentence(fmt.Errorf(format, args...))}
}

func missing(format string, args ...any) error {
	return &acp.RequestError{Code: -32002, Message: sentence(fmt.Errorf(format, args...))}
}

func broken(format string, args ...any) error {
	return &acp.RequestError{Code: -32603, Message: sentence(fmt.Errorf(format, args...))}
}

// failed is a run's fault as the answer to its prompt.
func failed(f *fault.Error) error {
	return &acp.RequestError{Code: -32603, Message: sentence(f), Data: map[string]string{"kind": string(f.Kind), "code": f.Code}}
}
