package runner

import (
	"context"
	"errors"
	"slices"

	"mutsumi/backend/agent"
	"mutsumi/backend/chat"
	"mutsumi/backend/compaction"
	"mutsumi/backend/fault"
	"mutsumi/backend/inspect"
	"mutsumi/backend/prompt"
	"mutsumi/backend/request"
	"mutsumi/backend/settings"
	"mutsumi/backend/tool"
	"mutsumi/backend/tool/builtin"
)

// Overflow describes a request that exceeds, or will soon exceed, its limit.
type Overflow struct {
	Cell    string             // the running cell
	Trigger int                // tokens that a request should stay below
	Fixed   []compaction.Fixed // parts that no summary makes smaller
}

// Compactor makes summaries of the older cells of notebooks (package summaries).
type Compactor interface {
	// Prepare begins to make a summary in the background, for a later Compact. If one is being made
	// or waits, it does nothing. One that fails is forgotten: the next call begins again.
	Prepare(path string, o Overflow)
	// Compact puts a summary into the notebook, so that requests stay below the trigger. The error
	// is Invalid if there is nothing to cover, *compaction.TooLarge, or an error of the request for
	// the summary or of ctx.
	Compact(ctx context.Context, path string, o Overflow) error
	// CompactFor puts a summary of the cells before a running one, whose agent asked for it. note
	// says what the summary has to include. It returns the outcome in a sentence. Errors are those
	// of Compact.
	CompactFor(ctx context.Context, path, cell, note string) (string, error)
	// Drop ends a preparation.
	Drop(path string)
}

// answerReserve is how many tokens a request leaves free in addition to the longest answer.
const answerReserve = 1024

// Trigger returns the size in tokens above which a request to a model is too large (SPEC 11.4); 0:
// unknown.
func Trigger(e settings.Endpoint, p settings.Preferences) int {
	return compaction.Limits{Window: e.Model.ContextTokens, Answer: e.Model.MaxOutput, Reserve: answerReserve, Cap: p.CompactAt}.Trigger()
}

// fitter keeps the requests of a run within the model's limit. It applies what was compacted, muted
// or restored in the meantime, compacts the conversation if the next request would be too large,
// and cuts old results if no summary is possible (SPEC 11.4-11.6).
type fitter struct {
	doc      *doc
	run      *run
	spec     request.Spec
	tools    *tool.Registry
	scratch  string
	sent     []string           // the earlier cells in its requests
	fixed    []compaction.Fixed // see Overflow
	overflow bool               // the last request was too large, and nothing more can be done about it
	prepared bool               // a summary was begun beside the work, and no request was too large since
}

// fit implements agent.Config.Fit. It is called at the start of each step, and checks the disk
// first.
func (f *fitter) fit(ctx context.Context, c agent.Conversation) (agent.Conversation, error) {
	f.doc.look()
	c, err := f.takeIn(ctx, c)
	if err != nil {
		return c, err
	}
	e, p := f.spec.Endpoint, f.doc.runner.with.Settings.Preferences()
	limit := Trigger(e, p)
	if limit == 0 || c.Tokens < limit {
		f.overflow = false
		if p.Compact == settings.CompactAuto && !f.prepared && compaction.Soon(c.Tokens, limit) {
			f.prepared = true // also if it fails: it would fail at each step
			f.doc.runner.with.Compactor.Prepare(f.doc.Path(), f.over(limit))
		}
		return c, nil
	}
	f.prepared = false
	var tooLarge *compaction.TooLarge
	if p.Compact == settings.CompactAuto && !f.overflow {
		f.doc.setAction("compacting the conversation")
		err := f.doc.runner.with.Compactor.Compact(ctx, f.doc.Path(), f.over(limit))
		errors.As(err, &tooLarge)
		if c, err = f.takeIn(ctx, c); err != nil {
			return c, err
		}
	}
	if f.overflow = c.Tokens >= limit; f.overflow {
		c = f.cutResults(c, limit)
	}
	if w := e.Model.ContextTokens; w == 0 || c.Tokens <= f.surely(w) {
		return c, nil
	}
	if tooLarge == nil {
		tooLarge = &compaction.TooLarge{Trigger: limit, Parts: append(slices.Clip(f.fixed), compaction.Fixed{Name: "this cell and those before it", Tokens: c.Tokens - sum(f.fixed)})}
	}
	return c, fault.New(fault.Invalid, "%v", tooLarge)
}

// surely returns the size above which a request certainly exceeds a window: an estimate may be too
// high by half, and then the server decides.
func (f *fitter) surely(window int) int {
	if f.doc.runner.with.Counters.For(f.spec.Endpoint.Model.ID).Exact() {
		return window
	}
	return window * 3 / 2
}

func (f *fitter) over(limit int) Overflow {
	return Overflow{Cell: f.run.cell, Trigger: limit, Fixed: f.fixed}
}

// takeIn rebuilds the beginning of the conversation if the set of cells to send has changed.
func (f *fitter) takeIn(ctx context.Context, c agent.Conversation) (agent.Conversation, error) {
	s := f.spec
	s.Continues = true // calls in the prompt have already run
	changed := false
	err := locked(f.doc, func(tx *Tx) error {
		now, err := tx.Notebook().Summaries().SentBefore(f.run.cell)
		if err != nil || slices.Equal(now, f.sent) {
			return err
		}
		changed, f.sent = true, now
		return tx.read(&s, f.run.cell)
	})
	if err != nil || !changed {
		return c, err
	}
	_, cfg, request, err := f.doc.runner.built(ctx, f.run, &s, f.tools, f.scratch)
	if err != nil {
		return c, err
	}
	first, _ := agent.First(cfg)
	f.fixed = fixedOf(request)
	return f.replace(c, first.Messages, c.Added), nil
}

// replace replaces the messages of a conversation, and counts its tokens.
func (f *fitter) replace(c agent.Conversation, before, added []chat.Message) agent.Conversation {
	count := f.doc.runner.with.Counters.For(f.spec.Endpoint.Model.ID)
	for _, m := range c.Before {
		c.Tokens -= agent.MessageTokens(count, m)
	}
	for _, m := range c.Added {
		c.Tokens -= agent.MessageTokens(count, m)
	}
	c.Before, c.Added, c.Changed = before, added, true
	for _, m := range append(slices.Clip(before), added...) {
		c.Tokens += agent.MessageTokens(count, m)
	}
	return c
}

// cutResults cuts older tool results to their beginning and end, except those of pinned cells and
// skills. The full results go into the agent's scratch folder.
func (f *fitter) cutResults(c agent.Conversation, limit int) agent.Conversation {
	count := f.doc.runner.with.Counters.For(f.spec.Endpoint.Model.ID)
	messages := slices.Concat(c.Before, c.Added)
	all := make([]compaction.Message, len(messages))
	for i, m := range messages {
		all[i] = compaction.Message{Message: m, Tokens: agent.MessageTokens(count, m)}
	}
	places := compaction.OldResults(all, min(compaction.ResultsKept, limit/2))
	if len(places) == 0 {
		return c
	}
	pinned := locked(f.doc, func(tx *Tx) map[string]bool { return tx.Notebook().Summaries().PinnedCalls() })
	for _, at := range places {
		if pinned[messages[at].ToolCallID] || messages[at].Name == builtin.UseSkill {
			continue
		}
		text := messages[at].Content.String()
		whole, err := f.doc.runner.with.Kept.KeepResult(f.spec.Agent.UUID, text)
		if err != nil {
			whole = "" // the notebook holds it
		}
		messages[at].Content = chat.Text(compaction.Shorten(text, whole))
	}
	return f.replace(c, messages[:len(c.Before):len(c.Before)], messages[len(c.Before):])
}

// fixedOf lists the parts of a request that no summary makes smaller.
func fixedOf(r inspect.Request) (fixed []compaction.Fixed) {
	names := map[prompt.Kind]string{
		prompt.KindDefinition: "definitions of tools", prompt.KindSystem: "the system message", prompt.KindRole: "the role",
		prompt.KindSkill: "skills", prompt.KindRule: "rules", prompt.KindFile: "files", prompt.KindTool: "results of references", prompt.KindImage: "images",
		prompt.KindDocument: "documents",
	}
	at := map[prompt.Kind]int{}
	for _, p := range r.Parts {
		name, is := names[p.Kind]
		if !is {
			continue
		}
		if _, known := at[p.Kind]; !known {
			at[p.Kind] = len(fixed)
			fixed = append(fixed, compaction.Fixed{Name: name})
		}
		fixed[at[p.Kind]].Tokens += p.Tokens
	}
	return fixed
}

func sum(fixed []compaction.Fixed) (tokens int) {
	for _, f := range fixed {
		tokens += f.Tokens
	}
	return tokens
}
