package cost

import "slices"

// Model names a model of a provider, as the settings do.
type Model struct{ Provider, ID string }

// Table holds the prices that are known.
type Table map[Model]Price

// Find looks a price up; the zero Price is an unknown one. Provider may be ""
// where a notebook does not say it: then the model must have the same price at
// all providers that have it.
func (t Table) Find(m Model) Price {
	if p, ok := t[m]; ok || m.Provider != "" {
		return p
	}
	var found Price
	for other, p := range t {
		switch {
		case other.ID != m.ID:
		case found == (Price{}):
			found = p
		case found.sum() != p.sum():
			return Price{}
		default:
			found.Guessed = found.Guessed && p.Guessed
		}
	}
	return found
}

// sum is a price by its numbers alone.
func (p Price) sum() Price {
	p.Guessed = false
	return p
}

// Agent is a notebook in the tree of agents with what it cost by itself.
type Agent struct {
	ID     string
	Parent string // "" at the top; one that is not there counts as none
	Own    Total
}

// Tree gives for each agent what it and all below it cost. Parents that lead
// round in a circle, which a file can say, count as none, as in the tree that
// is shown, so that nobody is counted twice. Agents with the same ID count as one.
func Tree(agents []Agent) map[string]Total {
	totals := make(map[string]Total, len(agents))
	parent := make(map[string]string, len(agents))
	for _, a := range agents {
		totals[a.ID] = totals[a.ID].Add(a.Own)
		if _, twice := parent[a.ID]; !twice {
			parent[a.ID] = a.Parent
		}
	}
	waits := make(map[string]int, len(agents)) // children that are not counted yet
	cut(agents, parent)
	for _, p := range parent {
		waits[p]++
	}
	var ready []string
	for id := range parent {
		if waits[id] == 0 {
			ready = append(ready, id)
		}
	}
	for len(ready) > 0 {
		id := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		p := parent[id]
		if _, there := parent[p]; !there {
			continue
		}
		totals[p] = totals[p].Add(totals[id])
		if waits[p]--; waits[p] == 0 {
			ready = append(ready, p)
		}
	}
	return totals
}

// cut removes the links of each circle: all in it stand at the top.
func cut(agents []Agent, parent map[string]string) {
	const onTheWay, done = 1, 2
	state := make(map[string]int, len(parent))
	for _, a := range agents {
		var way []string
		id := a.ID
		for {
			p, there := parent[id]
			if !there || state[id] == done {
				break
			}
			if state[id] == onTheWay {
				for _, in := range way[slices.Index(way, id):] {
					parent[in] = ""
				}
				break
			}
			state[id] = onTheWay
			way = append(way, id)
			id = p
		}
		for _, id := range way {
			state[id] = done
		}
	}
}
