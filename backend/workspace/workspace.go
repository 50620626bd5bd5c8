// Package workspace opens one folder for the interface. It makes and connects the parts (notebooks,
// agents, approvals, settings), offers their calls, and closes them. The interface changes nothing
// directly: it sends calls, and the new state comes back in events.
//
// The bound methods (app.go), package web and package cli call it. It contains no HTTP
// and no window.
package workspace

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"mutsumi/backend/access"
	"mutsumi/backend/acp"
	"mutsumi/backend/agent"
	"mutsumi/backend/agentfiles"
	"mutsumi/backend/agenttree"
	"mutsumi/backend/approvals"
	"mutsumi/backend/attention"
	"mutsumi/backend/catalog"
	"mutsumi/backend/coedit"
	"mutsumi/backend/commands"
	"mutsumi/backend/documents"
	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/filehistory"
	"mutsumi/backend/files"
	"mutsumi/backend/folderrules"
	"mutsumi/backend/fswatch"
	"mutsumi/backend/git"
	"mutsumi/backend/images"
	"mutsumi/backend/language"
	"mutsumi/backend/lock"
	"mutsumi/backend/log"
	"mutsumi/backend/lookup"
	"mutsumi/backend/mcp"
	"mutsumi/backend/metaedit"
	"mutsumi/backend/preferences"
	"mutsumi/backend/preview"
	"mutsumi/backend/request"
	"mutsumi/backend/role"
	"mutsumi/backend/runner"
	"mutsumi/backend/sample"
	"mutsumi/backend/settings"
	"mutsumi/backend/version"
	"mutsumi/backend/worktree"
)

// Options configure a Workspace.
type Options struct {
	Folder   string
	Settings *settings.Store
	Connect  func(settings.Endpoint) request.Connection
	Rules    fs.FS  // the default rules; nil: none
	Kinds    fs.FS  // the program's kinds of agents; nil: only chat
	Sample   fs.FS  // the program's sample folder; nil: none
	CacheDir string // for data that can be recreated; "": the system's
	Sandbox  string // the program that confines a command, this one; "": commands are not confined
	Desktop  bool   // a real window shows it

	AgentStop time.Duration // how long another agent of this machine may take to stop; 0: as long as acp waits

	// For one call of the command line:
	Notebook string         // a file that may be outside the folder, absolute
	Model    string         // overrules the notebook's choice
	Tools    request.Policy // "": ask
	Trust    bool           // the folder is trusted for this call
	Alone    bool           // no provider is asked for its models: nothing will run
	Quiet    bool           // the folder is not watched, and the machine not searched for models
	Unseen   bool           // no person looks at the folder: nothing is put back or remembered for one
}

// pictureBytes is how many bytes of prepared images stay in memory.
const pictureBytes = 48 << 20

// Workspace is one open folder. It embeds the calls of its parts. It is safe for
// concurrent use.
type Workspace struct {
	*preferences.Editor
	*documents.Calls
	*agentCalls
	*approvalCalls
	*branchCalls
	*keptCalls
	*catalogCalls
	*commandCalls
	*contextCalls
	*historyCalls
	*kindCalls
	*lookup.Finder
	*ruleCalls
	*serverCalls
	*acpCalls
	*importCalls
	*summaryCalls
	*treeCalls
	*catalog.Trasher
	*images.Images
	*preview.Previewer
	*coediting
	*completion
	*permissions
	*references

	folder    string
	sample    fs.FS // Options.Sample
	settings  *settings.Store
	connect   func(settings.Endpoint) request.Connection
	desktop   bool
	quiet     bool // Options.Quiet
	out       *event.Outbox
	registry  *documents.Registry
	runner    *runner.Runner
	agents    *acp.Agents
	approvals *approvals.Approvals
	commands  *commands.Commands
	kinds     *role.Kinds
	rules     *folderrules.Rules
	ownSkills string // the folder of the person's skills
	edits     *metaedit.Editor
	history   *filehistory.History
	kept      *agentfiles.Store
	treeStore *worktree.Store // its lock is taken before all others but runner.Options.Making
	trust     *access.Trust
	access    *access.Access
	rights    *settings.Rights // what the person allowed the folder's agents
	attention *attention.Announcer
	coedits   *coedit.Tracker
	log       *log.Log
	servers   *mcp.Servers

	ctx     context.Context // ends every run and every wait when the workspace closes
	cancel  context.CancelCauseFunc
	tasks   sync.WaitGroup // runs and tests of connections under way
	stop    chan struct{}  // ends the watcher
	unwatch func()         // ends watching the settings
	closed  func() error   // close, once
	ended   <-chan struct{}
	scanned chan struct{} // closed once the folder was scanned for notebooks

	found lock.Guarded[found]
}

// found is what the person should know about this start.
type found struct {
	unsaved []documents.UnsavedView // texts that could not be saved last time
	notices []string
	wanted  string // the notebook for the front of the first page, as the page names it
	loaded  bool   // a page was loaded
}

// Open opens a folder and scans it for notebooks in the background. It is an error if the
// folder does not exist, or the person may not look into it.
func Open(o Options) (*Workspace, error) {
	folder, err := filepath.Abs(o.Folder)
	if err != nil {
		return nil, fault.New(fault.Invalid, "open %s: %w", o.Folder, err)
	}
	if err := files.Usable(folder); err != nil {
		return nil, err
	}
	w := &Workspace{
		folder: folder, sample: o.Sample, settings: o.Settings, connect: o.Connect, desktop: o.Desktop, quiet: o.Quiet,
		out: event.NewOutbox(time.Now()), rights: o.Settings.Rights(folder),
		log:  log.Open(o.Settings.StateFolder(log.Name)).With(log.Folder(folder)),
		stop: make(chan struct{}), scanned: make(chan struct{}),
	}
	w.ctx, w.cancel = context.WithCancelCause(context.Background())
	w.closed = sync.OnceValue(w.close)
	if err := w.openParts(o); err != nil {
		return nil, err
	}
	w.log.Info("folder opened", log.Version(version.Current().String()))
	w.tasks.Go(w.runner.Serve)
	w.tasks.Go(func() { w.registry.FollowProcesses(w.ctx) })
	if o.Quiet {
		ended := make(chan struct{})
		close(ended)
		close(w.scanned)
		w.ended = ended
		return w, nil
	}
	if !o.Unseen {
		unsaved := w.registry.RestoreUnsaved()
		w.found.Do(func(f *found) { f.unsaved = unsaved })
	}
	var once sync.Once
	w.ended = documents.Watch(folder, w.stop, w.otherFilesChanged, w.cannotWatch, func(files map[string]bool) {
		w.registry.FilesChanged(files)
		catalog.KeepSample(w.sample, folder, w.registry, w.rights) // the tour may have been put back
		once.Do(func() {
			close(w.scanned)
			w.trust.Changed() // later changes are relative to the view below
			w.out.Emit(event.FolderScanned{Trust: w.Trust()})
		})
		w.publishTrust(false)
	})
	w.tasks.Go(func() { // nothing waits for it
		w.history.Store() // completes what a crash interrupted, before anything runs
		w.kept.Prune(time.Now())
	})
	if !o.Alone {
		w.Discover()
	}
	w.rules.Watch(w.ctx, w.tasks.Go, w.publishTrust)
	w.kinds.Watch(w.ctx, w.tasks.Go, w.publishTrust)
	w.followCommands()
	w.approvals.Follow(w.ctx, w.tasks.Go)
	w.tasks.Go(func() {
		w.trust.FindGuides(w.ctx)
		w.publishTrust(false)
	})
	w.unwatch = w.FollowSettings()
	if o.Unseen {
		return w, nil
	}
	if err := o.Settings.AddRecent(folder); err != nil { // not a reason to refuse the folder
		w.notice("Could not write to the folder where Mutsumi keeps its state: what is kept there is lost when it ends (%v)", err)
	}
	return w, nil
}

// notice adds a notice about this start for the person.
func (w *Workspace) notice(format string, args ...any) {
	w.found.Do(func(f *found) { f.notices = append(f.notices, fmt.Sprintf(format, args...)) })
}

func (w *Workspace) cannotWatch() {
	w.notice("The system has no file watches left for this folder: changes that other programs make are seen within %d seconds", int(fswatch.Poll.Seconds()))
}

// Close stops every run, saves all notebooks, and waits for everything it started. Text that cannot
// be saved is put beside its notebook; the error names the first such file. Further calls return
// the same error.
func (w *Workspace) Close() error { return w.closed() }

func (w *Workspace) close() error {
	w.cancel(agent.ErrEnding)
	w.attention.Close()
	w.approvals.Inbox().Close()
	w.commands.Close()
	close(w.stop)
	<-w.ended
	if w.unwatch != nil {
		w.unwatch()
	}
	w.servers.Close()
	w.agents.Close()
	w.tasks.Wait()
	err := w.registry.Close()
	w.log.Flush()
	return err
}

// ShowIn sets the window that shows the folder.
func (w *Workspace) ShowIn(window attention.Window) { w.attention.ShowIn(window) }

// PageFailed records that the page of the window ended, froze or stayed empty, and whether it is
// reloaded.
func (w *Workspace) PageFailed(cause string, again bool) {
	w.log.Warn("the page of the window failed", log.Word("cause", cause), log.Flag("again", again))
}

// SetInFront sets whether the window is in front.
func (w *Workspace) SetInFront(front bool) error {
	w.attention.SetInFront(front)
	return nil
}

// Text returns a text of the program in the language of the interface.
func (w *Workspace) Text(text string) string { return w.language().Text(text) }

func (w *Workspace) language() language.Catalogue {
	return language.Of(w.settings.Language())
}

// MakeTour makes the sample folder if it does not exist, and returns the path of the notebook in it
// that gives the tour.
func (w *Workspace) MakeTour() (notebook string, err error) {
	if w.sample == nil {
		return "", fault.New(fault.NotFound, "Could not open the tour: this program was built without its sample.")
	}
	folder, err := sample.Folder()
	if err != nil {
		return "", err
	}
	return sample.Tour(w.sample, folder)
}

// otherFilesChanged is called when files other than notebooks changed: the next requests
// may have changed with them.
func (w *Workspace) otherFilesChanged() {
	w.completion.completer.FilesChanged()
	w.out.Emit(event.ContextChanged{})
	w.publishTrust(false) // an AGENTS.md may be among them
}

// Title returns the window's title while nothing waits for the person.
func (w *Workspace) Title() string { return w.attention.Title() }

// Folder returns the absolute path of the folder.
func (w *Workspace) Folder() string { return w.folder }

// Name returns the folder's own name.
func (w *Workspace) Name() string { return filepath.Base(w.folder) }

// Events returns the outbox that the interface reads.
func (w *Workspace) Events() *event.Outbox { return w.out }

// Snapshot returns the state of everything but the notebooks' contents. It waits at most
// a second for the first scan of the folder.
func (w *Workspace) Snapshot() (Snapshot, error) {
	w.hasScanned(time.Second)
	// The number comes first: an event that arrives while the rest is read is delivered as well,
	// and repeats what was read. Nothing is read from disk under a lock.
	seq := w.out.Seq()
	v := Snapshot{
		Seq: seq, Folder: w.folder, Name: w.Name(), Scanning: !w.hasScanned(0),
		Desktop: w.desktop, Platform: runtime.GOOS, Version: version.Current().String(),
	}
	v.Trust, v.Branch = w.Trust(), gitBranch(w.folder)
	v.Kinds, _ = w.Kinds() // the next run reports an error
	v.Settings, v.UI, v.Recent = w.settings.View(), w.settings.UI(w.folder), w.recent()
	v.Approvals, v.Nodes = w.approvals.Inbox().Pending(), append([]agenttree.Node{}, w.registry.Agents()...)
	v.Paused = w.runner.Paused()
	w.found.Do(func(f *found) {
		v.Unsaved, v.Notices = append([]documents.UnsavedView{}, f.unsaved...), append([]string{}, f.notices...)
		v.UI = inFront(v.UI, f.wanted)
		f.wanted, f.loaded = "", true
	})
	return v, nil
}

// recent lists the folders opened before. It returns none if a disk does not answer
// within a second.
func (w *Workspace) recent() []string {
	found := make(chan []string, 1)
	go func() { found <- w.settings.Recent() }()
	select {
	case list := <-found:
		return list
	case <-time.After(time.Second):
		return []string{}
	}
}

// hasScanned reports whether the first scan of the folder is over, and waits at most that long for
// it.
func (w *Workspace) hasScanned(wait time.Duration) bool {
	select {
	case <-w.scanned:
		return true
	default:
	}
	select {
	case <-w.scanned:
		return true
	case <-time.After(wait):
		return false
	}
}

// Dropped emits that files were dropped on the window, at a point in CSS pixels.
func (w *Workspace) Dropped(x, y int, paths []string) {
	w.out.Emit(event.PathsDropped{Paths: paths, X: x, Y: y})
}

// gitBranch returns the branch that is checked out in a folder; "": it is not in a repository.
func gitBranch(folder string) string {
	r, err := git.Find(folder)
	if err != nil {
		return ""
	}
	return r.Branch()
}
