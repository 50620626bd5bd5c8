package workspace

import "mutsumi/backend/timeline"

// Timeline gives the timeline of the tree of agents to which a notebook belongs.
func (w *Workspace) Timeline(string) (timeline.View, error) {
	return timeline.View{Lanes: []timeline.Lane{}, Links: []timeline.Link{}}, nil
}
