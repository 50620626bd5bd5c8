package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"mutsumi/backend/fault"
	"mutsumi/backend/files"
	"mutsumi/backend/provider/anthropic"
	"mutsumi/backend/provider/demo"
	"mutsumi/backend/provider/exchange"
	"mutsumi/backend/provider/openai"
	"mutsumi/backend/provider/responses"
	"mutsumi/backend/request"
	"mutsumi/backend/settings"
	"mutsumi/backend/workspace"
)

// openOptions are the options for opening a folder.
type openOptions struct {
	Folder   string // "": the last opened one, otherwise ~/Mutsumi
	Desktop  bool
	Notebook string // may be outside the folder
	Model    string
	Tools    request.Policy
	Trust    bool // for this once
	Quiet    bool // one call: the folder is not followed
	NoModels bool // nothing will be run
	Unseen   bool // another program uses the folder, and no person looks at it
}

// opened is a workspace with its surroundings. Close closes all of it, once, and returns the first
// error.
type opened struct {
	ws    *workspace.Workspace
	Close func() error
}

// openWorkspace wires settings, the offline guide and the clients of models to a workspace.
func openWorkspace(p *Program, o openOptions) (*opened, error) {
	store, err := settings.Open("")
	if err != nil {
		return nil, err
	}
	if o.Folder == "" {
		if o.Folder, err = lastFolder(store); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	if !o.NoModels {
		guide, err := demo.Start(ctx, guidePace()...)
		if err != nil {
			cancel()
			return nil, fmt.Errorf("start the offline guide: %w", err)
		}
		store.SetBuiltIn(guide.BaseURL, guide.Key, guideModels())
	}
	self, err := os.Executable()
	if err != nil {
		self = "" // commands run without a keeper then
	}
	ws, err := workspace.Open(workspace.Options{
		Sandbox: self,
		Folder:  o.Folder, Settings: store, Connect: connector(), Desktop: o.Desktop, Rules: p.files(p.Rules, "rules", store.Language), Kinds: p.Kinds, Sample: p.files(p.Sample, "sample", store.Language), Trust: o.Trust,
		Notebook: o.Notebook, Model: o.Model, Tools: o.Tools, Quiet: o.Quiet, Alone: o.NoModels, Unseen: o.Unseen,
	})
	if err != nil {
		cancel()
		return nil, err
	}
	return &opened{ws, sync.OnceValue(func() error {
		defer cancel()
		return ws.Close()
	})}, nil
}

// guidePace reads MUTSUMI_GUIDE_PACE, tokens a second, 0 for no pause: tests
// and people in a hurry set it.
func guidePace() []demo.Option {
	pace, err := strconv.Atoi(os.Getenv("MUTSUMI_GUIDE_PACE"))
	if err != nil || pace < 0 {
		return nil
	}
	return []demo.Option{demo.Pace(pace)}
}

// guideModels describes the offline guide as the settings do.
func guideModels() []settings.ModelView {
	var all []settings.ModelView
	for _, m := range demo.Models() {
		all = append(all, settings.ModelView{
			ID: m.ID, Name: m.Name, ContextTokens: m.ContextTokens, Images: m.Images, Tools: m.Tools, Reasoning: m.Reasoning,
		})
	}
	return all
}

// connector makes the clients of endpoints. They share the knowledge of what a server refuses.
func connector() func(settings.Endpoint) request.Connection {
	refusals := exchange.NewRefusals()
	return func(e settings.Endpoint) request.Connection {
		connect := openai.New
		switch e.Wire {
		case settings.WireResponses:
			connect = responses.New
		case settings.WireAnthropic:
			connect = anthropic.New
		}
		client := connect(exchange.Config{Name: e.Name, BaseURL: e.BaseURL, Key: e.Key, Refusals: refusals})
		return request.Connection{Model: client, List: func(ctx context.Context) ([]string, error) {
			models, err := client.Models(ctx)
			if err != nil {
				return nil, err
			}
			ids := make([]string, len(models))
			for i, m := range models {
				ids[i] = m.ID
			}
			return ids, nil
		}}
	}
}

// lastFolder is the last opened folder that can still be opened, otherwise ~/Mutsumi, which is created.
func lastFolder(store *settings.Store) (string, error) {
	for _, folder := range store.Recent() {
		if files.Usable(folder) == nil {
			return folder, nil
		}
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("find a folder to open: %w: name one", err)
	}
	folder := filepath.Join(home, "Mutsumi")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", fmt.Errorf("make the folder %s: %w", folder, err)
	}
	return folder, nil
}

// existing returns the absolute path of an existing file.
func existing(name string) (string, error) {
	file, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return "", fault.New(fault.NotFound, "%s: there is no such file", file)
	}
	return file, nil
}

// openNotebook opens the folder of an existing notebook, without its models, and returns the
// notebook's path in it. folder is the folder, "" for the one that the notebook belongs to.
func openNotebook(p *Program, name, folder string) (open *opened, path string, err error) {
	file, err := existing(name)
	if err != nil {
		return nil, "", err
	}
	if folder == "" {
		folder = folderFor(file)
	}
	open, err = openWorkspace(p, openOptions{Folder: folder, Notebook: file, NoModels: true, Quiet: true})
	if err != nil {
		return nil, "", err
	}
	return open, open.ws.PathOf(file), nil
}
