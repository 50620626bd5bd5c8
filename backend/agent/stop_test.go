package agent_test

import (
	"context"
	"fmt"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mutsumi/backend/agent"
	"mutsumi/backend/chat"
	"mutsumi/backend/fault"
	"mutsumi/backend/provider/openai"
	"mutsumi/backend/provider/providertest"
	"mutsumi/backend/tool"
)

// hello runs a prompt against a script over a pipe, so that it can be done in
// a bubble of synctest.
func hello(t *testing.T, script string, change func(*agent.Config)) agent.Config {
	srv := providertest.NewPipe(t, script)
	t.Cleanup(srv.Close)
	cfg := agent.Config{
		Model:    openai.New(openai.Config{Name: "test", BaseURL: srv.URL, Transport: srv.Transport()}),
		Messages: []chat.Message{{Role: chat.User, Content: chat.Text("Hello")}},
		Tools:    tool.NewRegistry(testTools(t)...),
	}
	if change != nil {
		change(&cfg)
	}
	return cfg
}

// A stop ends the run within 200 ms (issue 4, row 8) at any point.
func TestStopIsAtOnce(t *testing.T) {
	for name, script := range map[string]string{
		"before the first token": "stall",
		"in the text":            "text Hel\nstall",
		"in a wait":              "answer always\nheader Retry-After: 60\nfail 429 Slow down",
		"in tools that hang":     "call 0 a hang {}\ncall 1 b echo {\"text\":\"x\"}\ncall 2 c hang {}\ncall 3 d hang {}",
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				cfg := hello(t, script, nil)
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(time.Second, cancel)
				start := time.Now()
				var puts []chat.Message
				res := agent.Run(ctx, cfg, func(u agent.Update) {
					if p, ok := u.(agent.Put); ok {
						puts = append(puts, p.Message)
					}
				})
				if took := time.Since(start) - time.Second; took > 200*time.Millisecond {
					t.Errorf("the run ended %v after the stop", took)
				}
				if res.Outcome != agent.Stopped || res.Fault != nil {
					t.Errorf("outcome %s, fault %v", res.Outcome, res.Fault)
				}
				answered(t, puts)
			})
		})
	}
}

// An approval that nobody answers ends with the stop.
func TestStopWhileSomebodyIsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := hello(t, `call 0 a store {"text":"x"}`, func(c *agent.Config) { c.Approver = nobody{} })
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		var last agent.Put
		res := agent.Run(ctx, cfg, func(u agent.Update) {
			if p, ok := u.(agent.Put); ok {
				last = p
			}
		})
		if res.Outcome != agent.Stopped || last.Message.Content.String() != "interrupted by the person" {
			t.Errorf("outcome %s, result %q", res.Outcome, last.Message.Content.String())
		}
	})
}

// The end of the program is not a stop: the run can be resumed, and calls that were running are
// called neither done nor undone.
func TestTheEndOfTheProgramInterrupts(t *testing.T) {
	for script, want := range map[string]string{
		"text Hel\nstall":              "",
		"call 0 a hang {}":             agent.Unfinished(true),
		`call 0 a store {"text":"x"}`:  "before it ran: nothing was done",
		`call 0 a linger {"text":"x"}`: agent.Unfinished(false),
	} {
		synctest.Test(t, func(t *testing.T) {
			linger := tool.New(tool.Spec{Name: "linger"}, func(ctx context.Context, _ tool.Env, _ echoIn) tool.Result {
				<-ctx.Done()
				return tool.Error("half done")
			})
			cfg := hello(t, script, func(c *agent.Config) {
				c.Tools, c.Approver = tool.NewRegistry(append(testTools(t), linger)...), nobody{}
				if strings.Contains(script, "linger") {
					c.Approver = yes{}
				}
			})
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(time.Second, func() { cancel(agent.ErrEnding) })
			inner, stop := context.WithCancel(ctx)
			defer stop()
			var last agent.Put
			res := agent.Run(inner, cfg, func(u agent.Update) {
				if p, ok := u.(agent.Put); ok {
					last = p
				}
			})
			if res.Outcome != agent.Interrupted || res.Fault != nil {
				t.Errorf("%s: outcome %s, fault %v", script, res.Outcome, res.Fault)
			}
			if got := last.Message.Content.String(); want != "" && (!strings.Contains(got, want) || !last.IsError) {
				t.Errorf("%s: got %q, want %q", script, got, want)
			}
		})
	}
}

// After a stop, the person can still see what a command printed.
func TestAStopKeepsWhatThePersonSeesOfTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		linger := tool.New(tool.Spec{Name: "linger"}, func(ctx context.Context, _ tool.Env, _ echoIn) tool.Result {
			<-ctx.Done()
			return tool.Result{Content: "half done", IsError: true, Facts: &chat.CallFacts{Output: "kept"}}
		})
		cfg := hello(t, `call 0 a linger {"text":"x"}`, func(c *agent.Config) { c.Tools, c.Approver = tool.NewRegistry(linger), yes{} })
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		var last agent.Put
		agent.Run(ctx, cfg, func(u agent.Update) {
			if p, ok := u.(agent.Put); ok {
				last = p
			}
		})
		if last.Facts == nil || last.Facts.End != chat.CallStopped || last.Facts.Output != "kept" || last.Message.Content.String() != agent.ByPerson {
			t.Errorf("%+v, %q", last.Facts, last.Message.Content.String())
		}
	})
}

// yes allows everything.
type yes struct{}

func (yes) Approve(context.Context, agent.Ask) (agent.Decision, error) {
	return agent.Decision{Allow: true}, nil
}

// nobody never decides.
type nobody struct{}

func (nobody) Approve(ctx context.Context, _ agent.Ask) (agent.Decision, error) {
	<-ctx.Done()
	return agent.Decision{}, ctx.Err()
}

// Two hundred calls in one answer run a few at a time and come back in order.
func TestTwoHundredCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var script strings.Builder
		script.WriteString("answer\n")
		for i := range 200 {
			fmt.Fprintf(&script, "call %d id%d slow {\"text\":\"%d\"}\n", i, i, i)
		}
		script.WriteString("answer\ntext Done.\n")
		slow := tool.New(tool.Spec{Name: "slow", Reads: true}, func(_ context.Context, _ tool.Env, in echoIn) tool.Result {
			time.Sleep(10 * time.Millisecond)
			return tool.Text(in.Text)
		})
		cfg := hello(t, script.String(), func(c *agent.Config) { c.Tools = tool.NewRegistry(slow) })
		start := time.Now()
		n := 0
		res := agent.Run(t.Context(), cfg, func(u agent.Update) {
			if p, ok := u.(agent.Put); ok && p.Message.Role == chat.Tool {
				if want := fmt.Sprint(n); p.Message.Content.String() != want || p.Index != n+1 {
					t.Errorf("result %s came at index %d, want %s at %d", p.Message.Content.String(), p.Index, want, n+1)
				}
				n++
			}
		})
		if res.Outcome != agent.Done || n != 200 {
			t.Errorf("outcome %s with %d results", res.Outcome, n)
		}
		if took := time.Since(start); took > time.Second {
			t.Errorf("200 calls of 10 ms took %v: they did not run side by side", took)
		}
	})
}

// The default limit ends the run of a model that requests tools for ever.
func TestDefaultStepLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := hello(t, "answer always\ncall 0 a echo {\"text\":\"x\"}", nil)
		res := agent.Run(t.Context(), cfg, func(agent.Update) {})
		if res.Outcome != agent.StepLimit || res.Steps != agent.DefaultStepLimit || res.Fault == nil {
			t.Errorf("outcome %s after %d steps, fault %v", res.Outcome, res.Steps, res.Fault)
		}
	})
}

// A stream that goes silent counts as broken and is not waited for; what has arrived is kept.
func TestStalledStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := hello(t, "text So far\nstall", nil)
		var last agent.Put
		res := agent.Run(t.Context(), cfg, func(u agent.Update) {
			if p, ok := u.(agent.Put); ok {
				last = p
			}
		})
		if res.Outcome != agent.Broken || res.Fault == nil || res.Fault.Code != fault.CodeStreamBroken {
			t.Errorf("outcome %s, fault %v", res.Outcome, res.Fault)
		}
		if last.Message.Content.String() != "So far" {
			t.Errorf("kept %q", last.Message.Content.String())
		}
	})
}

// No server listens at the address.
func TestNoServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + l.Addr().String() + "/v1"
	l.Close()
	waits := 0
	res := agent.Run(t.Context(), agent.Config{
		Model:    openai.New(openai.Config{Name: "test", BaseURL: url, Attempts: 2, FirstWait: time.Millisecond}),
		Messages: []chat.Message{{Role: chat.User, Content: chat.Text("Hello")}},
	}, func(u agent.Update) {
		switch u := u.(type) {
		case agent.Waiting:
			if !u.Until.IsZero() {
				waits++
			}
		case agent.Put, agent.Delta:
			t.Errorf("something came: %+v", u)
		}
	})
	if res.Outcome != agent.Failed || res.Fault.Code != fault.CodeUnreachable || waits != 1 || res.Usage != (chat.Usage{}) {
		t.Errorf("%+v after %d waits", res, waits)
	}
}

// BenchmarkRun measures what the loop and the client cost per token.
func BenchmarkRun(b *testing.B) {
	srv, err := providertest.Start("answer always\nrepeat 1000 word")
	if err != nil {
		b.Fatal(err)
	}
	defer srv.Close()
	cfg := agent.Config{
		Model:    openai.New(openai.Config{Name: "test", BaseURL: srv.URL}),
		Messages: []chat.Message{{Role: chat.User, Content: chat.Text("Hello")}},
	}
	n := 0
	for b.Loop() {
		agent.Run(b.Context(), cfg, func(u agent.Update) {
			if _, ok := u.(agent.Delta); ok {
				n++
			}
		})
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/token")
}
