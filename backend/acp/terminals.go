package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"mutsumi/backend/chat"
	"mutsumi/backend/clip"
)

// Limits of terminals.
const (
	maxTerminals    = 100
	maxTerminalText = 1 << 20 // bytes, if the agent names no limit
	maxTerminalLine = 64 << 10
)

// terminal is a command that an agent had started.
type terminal struct {
	of       Terminal
	limit    int  // bytes of output that the agent reads
	released bool // the agent uses it no more
}

// ended reports whether the command has ended.
func (t *terminal) ended() bool {
	select {
	case <-t.of.Done():
		return true
	default:
		return false
	}
}

// tail returns the end of the output within the limit.
func (t *terminal) tail() (text string, cut bool) {
	text = strings.ToValidUTF8(t.of.Output(), "\uFFFD")
	if len(text) <= t.limit {
		return text, false
	}
	start := len(text) - t.limit
	for start < len(text) && text[start]&0xC0 == 0x80 { // inside a character
		start++
	}
	return text[start:], true
}

// status returns how the command ended; nil: it runs.
func (t *terminal) status() *exitStatus {
	if !t.ended() {
		return nil
	}
	code, signal := t.of.Exit()
	if signal != "" {
		return &exitStatus{Signal: &signal}
	}
	return &exitStatus{Code: &code}
}

// end returns the output for the result of a call, and a line about how the command ended if that
// is worth one.
func (t *terminal) end(facts *chat.CallFacts) (output, exit string) {
	output = t.of.Output()
	if !t.ended() {
		return output, "[It still runs.]"
	}
	code, signal := t.of.Exit()
	if facts.Exit = code; signal != "" {
		facts.Exit = max(code, 128)
		return output, "[ended by " + clip.VisibleLine(signal, 40) + "]"
	}
	if code != 0 {
		return output, fmt.Sprintf("[exit status %d]", code)
	}
	return output, ""
}

func (l *link) createTerminal(ctx context.Context, t *turn, params json.RawMessage) (any, error) {
	var p terminalParams
	if decode(params, &p) != nil || p.Command == "" {
		return nil, fmt.Errorf("%w: command is missing", errParams)
	}
	if p.Dir != "" && !filepath.IsAbs(p.Dir) {
		return nil, fmt.Errorf("%w: cwd is not absolute", errParams)
	}
	if len(p.Command) > maxTerminalLine || len(p.Args) > maxWords || len(p.Env) > maxWords {
		return nil, fmt.Errorf("%w: the command is too long", errParams)
	}
	limit := maxTerminalText
	if p.Limit != nil && *p.Limit >= 0 && *p.Limit < maxTerminalText {
		limit = int(*p.Limit)
	}
	running := 0
	l.state.Do(func(s *linkState) {
		for id, other := range s.terminals {
			if !other.ended() {
				running++
			} else if other.released && len(s.terminals) > 2*maxTerminals {
				delete(s.terminals, id)
			}
		}
	})
	if running >= maxTerminals {
		return nil, errors.New("too many commands run: wait for one, or kill one")
	}
	c := TerminalCommand{Command: p.Command, Args: p.Args, Env: map[string]string{}, Dir: p.Dir}
	for _, v := range p.Env {
		c.Env[v.Name] = v.Value
	}
	of, err := t.with.Host.Run(ctx, c)
	if err != nil {
		return nil, err
	}
	id := ""
	l.state.Do(func(s *linkState) {
		if s.turn != t || ctx.Err() != nil {
			return
		}
		if s.terminals == nil {
			s.terminals = map[string]*terminal{}
		}
		s.made++
		id = fmt.Sprintf("term_%d", s.made)
		s.terminals[id] = &terminal{of: of, limit: limit}
	})
	if id == "" {
		of.Kill()
		return nil, errNoTurn
	}
	return map[string]string{"terminalId": id}, nil
}

// terminal returns a terminal, even a released one; nil: there is none with this id.
func (l *link) terminal(id string) (t *terminal) {
	l.state.Do(func(s *linkState) { t = s.terminals[id] })
	return t
}

// used returns the terminal that a request names.
func (l *link) used(params json.RawMessage) (t *terminal, err error) {
	var p terminalParams
	if decode(params, &p) != nil {
		return nil, errParams
	}
	l.state.Do(func(s *linkState) {
		if have := s.terminals[p.Terminal]; have != nil && !have.released {
			t = have
		}
	})
	if t == nil {
		return nil, fmt.Errorf("%w: there is no such terminal", errParams)
	}
	return t, nil
}

func (l *link) terminalOutput(_ context.Context, _ *turn, params json.RawMessage) (any, error) {
	t, err := l.used(params)
	if err != nil {
		return nil, err
	}
	status := t.status() // before the output: it is all of it, then
	text, cut := t.tail()
	return map[string]any{"output": text, "truncated": cut, "exitStatus": status}, nil
}

func (l *link) waitForTerminal(ctx context.Context, _ *turn, params json.RawMessage) (any, error) {
	t, err := l.used(params)
	if err != nil {
		return nil, err
	}
	select {
	case <-t.of.Done():
		return t.status(), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l *link) killTerminal(_ context.Context, _ *turn, params json.RawMessage) (any, error) {
	t, err := l.used(params)
	if err != nil {
		return nil, err
	}
	t.of.Kill()
	return struct{}{}, nil
}

func (l *link) releaseTerminal(_ context.Context, _ *turn, params json.RawMessage) (any, error) {
	t, err := l.used(params)
	if err != nil {
		return nil, err
	}
	l.state.Do(func(*linkState) { t.released = true })
	if !t.ended() {
		t.of.Kill()
	}
	return struct{}{}, nil
}

// killTerminals ends the commands that run.
func (l *link) killTerminals() {
	var all []*terminal
	l.state.Do(func(s *linkState) {
		for _, t := range s.terminals {
			all = append(all, t)
		}
	})
	for _, t := range all {
		if !t.ended() {
			t.of.Kill()
		}
	}
}
