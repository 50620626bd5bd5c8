package workspace

import (
	"mutsumi/backend/access"
	"mutsumi/backend/agenttree"
	"mutsumi/backend/approval"
	"mutsumi/backend/documents"
	"mutsumi/backend/kind"
	"mutsumi/backend/settings"
)

// Snapshot is everything that the interface needs to draw its first frame.
type Snapshot struct {
	Seq       uint64                  `json:"seq"`              // the number of the last event that this state includes
	Folder    string                  `json:"folder"`           // absolute
	Name      string                  `json:"name"`             // of the folder
	Branch    string                  `json:"branch,omitempty"` // of git, if the folder is a work tree
	Nodes     []agenttree.Node        `json:"nodes"`
	Settings  settings.View           `json:"settings"`
	UI        settings.UIState        `json:"ui"`
	Scanning  bool                    `json:"scanning"`  // the folder is still being scanned: more nodes follow
	Approvals []approval.Request      `json:"approvals"` // what waits for the person
	Trust     access.TrustView        `json:"trust"`
	Kinds     []kind.Kind             `json:"kinds"`
	Paused    bool                    `json:"paused"`   // all agents are held before their next request
	Unsaved   []documents.UnsavedView `json:"unsaved"`  // what could not be saved when the program last ended
	Notices   []string                `json:"notices"`  // what the person should know of this start
	Recent    []string                `json:"recent"`   // folders opened before, newest first
	Desktop   bool                    `json:"desktop"`  // a real window: dialogs, clipboard, reveal
	Platform  string                  `json:"platform"` // linux, darwin, windows
	Version   string                  `json:"version"`
}
