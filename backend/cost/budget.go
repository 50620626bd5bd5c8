package cost

import "fmt"

// Budget is the limit on a notebook's cost. Limit 0 means no budget.
type Budget struct {
	Limit Money
	Tree  bool // spending includes the notebook's descendants
}

// Verdict is a budget's decision about a request.
type Verdict string

const (
	GoOn        Verdict = "goOn"
	NearlySpent Verdict = "nearlySpent" // continue, and show it
	Ask         Verdict = "ask"         // pause, and ask the person
)

// nearly is the part of a budget, in percent, from which it is nearly spent.
const nearly = 80

// Decision is a budget's verdict, with a text for a person.
type Decision struct {
	Verdict Verdict `json:"verdict"`
	Percent int     `json:"percent"` // of the limit that is spent; 100 and more when it is all
	Text    string  `json:"text"`    // "" for GoOn when every price is known
	Blind   bool    `json:"blind"`   // some requests have no known price, so that more may be spent
}

// Decide reports whether a request may be sent. spent is the notebook's cost so far, next the least
// cost of the request; the zero Total if not known. A request that would knowingly exceed the limit
// needs the person's consent.
func (b Budget) Decide(spent, next Total) Decision {
	if b.Limit <= 0 {
		return Decision{Verdict: GoOn}
	}
	d := Decision{Verdict: GoOn, Percent: percent(spent.Cost, b.Limit), Blind: !spent.Known() || !next.Known()}
	will, who, its := spent.Add(next), "This notebook has", "its"
	if b.Tree {
		who, its = "This notebook and the agents that it started have", "their"
	}
	switch {
	case spent.Cost >= b.Limit:
		d.Verdict = Ask
		d.Text = fmt.Sprintf("%s cost %s of %s budget of %s.", who, spent.Text(), its, b.Limit)
	case will.Cost > b.Limit:
		d.Verdict = Ask
		d.Text = fmt.Sprintf("%s cost %s; the next request (%s at least) would go past %s budget of %s.", who, spent.Text(), next.Text(), its, b.Limit)
	case d.Percent >= nearly:
		d.Verdict = NearlySpent
		d.Text = fmt.Sprintf("%d%% of the budget of %s is spent.", d.Percent, b.Limit)
	}
	if d.Blind {
		if d.Text != "" {
			d.Text += " "
		}
		d.Text += "The budget cannot count requests to models whose price is not known: set it in the settings."
	}
	return d
}

// percent rounds down, so that 100 means everything.
func percent(part, whole Money) int {
	if whole >= 100 {
		return int(min(part/(whole/100), 999))
	}
	return int(min(part*100/whole, 999))
}
