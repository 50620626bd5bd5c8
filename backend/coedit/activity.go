package coedit

import (
	"cmp"
	"encoding/json"
	"slices"

	"mutsumi/backend/approval"
	"mutsumi/backend/checkpoint"
	"mutsumi/backend/files"
	"mutsumi/backend/timeline"
)

// maxFiles is the maximum number of files that Files lists.
const maxFiles = 2_000

// File is a file that an agent read or wrote.
type File struct {
	File   string                   `json:"file"` // relative to the workspace
	Read   bool                     `json:"read"`
	Wrote  bool                     `json:"wrote"`
	AtMs   int64                    `json:"atMs"`   // when it did so last
	Others []approval.WriteConflict `json:"others"` // the other agents that wrote it
}

// Files lists the files that an agent read and wrote, latest first, at most maxFiles. s
// is the store of file versions. Files that the agent read with a shell command are not
// listed.
func (t *Tracker) Files(r Reader, s *checkpoint.Store) ([]File, error) {
	written, err := s.Written()
	if err != nil {
		return nil, err
	}
	reads := r.Seen.Reads()
	for file, at := range t.readsIn(r) {
		reads[file] = max(reads[file], at)
	}
	list := []File{}
	for file, writers := range written {
		own, others := t.splitWriters(r.UUID, writers)
		if own == 0 && reads[file] == 0 {
			continue
		}
		v := File{File: t.agents.PathOf(file), Read: reads[file] > 0, Wrote: own > 0, AtMs: max(own, reads[file]), Others: []approval.WriteConflict{}}
		for _, h := range others {
			h.File = v.File
			v.Others = append(v.Others, h)
		}
		list = append(list, v)
		delete(reads, file)
	}
	for file, at := range reads {
		list = append(list, File{File: t.agents.PathOf(file), Read: true, AtMs: at, Others: []approval.WriteConflict{}})
	}
	slices.SortFunc(list, func(a, b File) int { return cmp.Or(cmp.Compare(b.AtMs, a.AtMs), cmp.Compare(a.File, b.File)) })
	return list[:min(len(list), maxFiles)], nil
}

// readsIn returns the files that an agent read according to its notebook, with the time
// of the last read of each.
func (t *Tracker) readsIn(r Reader) map[string]int64 {
	reads, folder := map[string]int64{}, t.agents.WorksIn(r.UUID)
	for _, c := range r.Notebook.Trace(timeline.SpansOfLane).Cells {
		names := map[string]string{} // of files, by call
		for _, m := range c.Messages {
			for _, call := range m.Calls {
				if call.Function.Name == "read_file" {
					names[call.ID] = fileIn(json.RawMessage(call.Function.Arguments))
				}
			}
			if name := names[m.ToolCallID]; name != "" && !m.IsError {
				file := files.Real(files.Absolute(folder, name))
				reads[file] = max(reads[file], m.AtMs)
			}
		}
	}
	return reads
}

// fileIn returns the file that the arguments of a call name, under any of the names that
// models use for it.
func fileIn(args json.RawMessage) string {
	var values map[string]any
	if json.Unmarshal(args, &values) != nil {
		return ""
	}
	for _, name := range []string{"uri", "path", "file", "file_path", "filename"} {
		if s, _ := values[name].(string); s != "" {
			return s
		}
	}
	return ""
}
