package settings

import (
	"encoding/json"
	"slices"
)

// Rights are the person's permissions for the agents of one folder: folders outside it, and grants.
// They are in the state folder, bound to the folder, to the notebook's file and to its uuid, and
// nothing in a notebook adds to them. They may be used by many goroutines, and by several
// processes.
type Rights struct{ in *folderFile[savedRights] }

// Agent names a notebook: its file, relative to the folder with slashes, and
// its uuid.
type Agent struct{ File, UUID string }

type agentRights struct {
	File      string          `json:"file"`
	UUID      string          `json:"uuid"`
	Made      bool            `json:"made,omitempty"` // this program made the notebook
	Folders   []string        `json:"folders,omitempty"`
	Approvals json.RawMessage `json:"approvals,omitempty"`
}

type savedRights struct {
	Folder string        `json:"folder"`
	Agents []agentRights `json:"agents"`
}

func (s savedRights) belongsTo() string { return s.Folder }

// Rights returns the rights of a folder.
func (s *Store) Rights(folder string) *Rights {
	return &Rights{&folderFile[savedRights]{store: s, kind: "rights", folder: realPath(folder)}}
}

// read returns the stored rights. Damaged data, or that of another folder, gives no rights.
func (r *Rights) read() []agentRights {
	saved, _ := r.in.read()
	return saved.Agents
}

func (r *Rights) of(a Agent) (found agentRights) {
	for _, x := range r.read() {
		if x.File == a.File && x.UUID == a.UUID && a.UUID != "" {
			return x
		}
	}
	return found
}

// Folders lists the folders outside the workspace that the person gave an agent.
func (r *Rights) Folders(a Agent) []string { return slices.Clone(r.of(a).Folders) }

// Grants returns the stored tool rules that the person made for an agent; nil if there are none.
func (r *Rights) Grants(a Agent) []byte { return r.of(a).Approvals }

// FileOf returns the file of a uuid, "" if none is known.
func (r *Rights) FileOf(uuid string) string {
	for _, x := range r.read() {
		if x.UUID == uuid {
			return x.File
		}
	}
	return ""
}

// AllMade returns the notebooks that this program made.
func (r *Rights) AllMade() map[Agent]bool {
	made := map[Agent]bool{}
	for _, x := range r.read() {
		if x.Made {
			made[Agent{x.File, x.UUID}] = true
		}
	}
	return made
}

// KeepMade records that this program made the notebook of an agent, and allows it folders.
func (r *Rights) KeepMade(a Agent, folders []string) error {
	return r.change(a, func(x *agentRights) { x.Made, x.Folders = true, slices.Clone(folders) })
}

// Give lets an agent touch a folder outside the workspace.
func (r *Rights) Give(a Agent, folder string) error {
	return r.change(a, func(x *agentRights) {
		if !slices.Contains(x.Folders, folder) {
			x.Folders = append(x.Folders, folder)
		}
	})
}

// Take takes folders back.
func (r *Rights) Take(a Agent, folder string) error {
	return r.change(a, func(x *agentRights) {
		x.Folders = slices.DeleteFunc(x.Folders, func(f string) bool { return f == folder })
	})
}

// ChangeGrants replaces the rules of tools of an agent by is, the result of become, for every process
// of this person, and then calls stored. become gets the rules as they are stored now; nil means
// none.
func (r *Rights) ChangeGrants(a Agent, become func(kept []byte) (is []byte, stored func())) error {
	stored := func() {}
	err := r.change(a, func(x *agentRights) {
		var is []byte
		is, stored = become(x.Approvals)
		x.Approvals = json.RawMessage(is)
	})
	if err == nil {
		stored()
	}
	return err
}

// Forget drops all data of an agent.
func (r *Rights) Forget(a Agent) error {
	return r.change(a, func(x *agentRights) { *x = agentRights{} })
}

// Move binds an agent's data to another file.
func (r *Rights) Move(a Agent, file string) error {
	return r.change(a, func(x *agentRights) { x.File = file })
}

// change changes one agent's data, for every process of this person.
func (r *Rights) change(a Agent, f func(*agentRights)) error {
	if a.UUID == "" || a.File == "" {
		return nil // it has no name under which anything could be kept
	}
	return r.in.change(func(kept savedRights, _ error) (savedRights, error) {
		all := slices.Clone(kept.Agents)
		i := slices.IndexFunc(all, func(x agentRights) bool { return x.File == a.File && x.UUID == a.UUID })
		if i < 0 {
			i = len(all)
			all = append(all, agentRights{File: a.File, UUID: a.UUID})
		}
		x := all[i]
		x.Folders = slices.Clone(x.Folders)
		f(&x)
		all[i] = x
		all = slices.DeleteFunc(all, func(x agentRights) bool {
			return x.File == "" || !x.Made && len(x.Folders) == 0 && len(x.Approvals) == 0
		})
		return savedRights{r.in.folder, all}, nil
	})
}
