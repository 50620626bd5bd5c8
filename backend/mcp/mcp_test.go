package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"mutsumi/backend/mcp"
	"mutsumi/backend/mcp/client"
	"mutsumi/backend/mcp/mcptest"
	"mutsumi/backend/mcp/offer"
	"mutsumi/backend/tool"
	"mutsumi/backend/waittest"
)

func TestMain(m *testing.M) {
	mcptest.Main()
	os.Exit(m.Run())
}

// patient is enough for a good server on a slow machine.
var patient = client.Timing{Connect: time.Minute, List: time.Minute, Quiet: time.Minute, Call: time.Minute}

// file returns a `.mcp.json` of test servers, given their manners by name.
func file(manners map[string]string) []byte {
	all := map[string]any{}
	for name, manner := range manners {
		s := mcptest.Server(name, manner)
		env := maps.Clone(s.Env)
		env["KEY"] = "${keyring:key}"
		all[name] = map[string]any{"command": s.Command, "env": env}
	}
	raw, err := json.Marshal(map[string]any{"mcpServers": all})
	if err != nil {
		panic(err)
	}
	return raw
}

func open(t *testing.T, manners map[string]string) (*mcp.Servers, string) {
	t.Helper()
	return openTimed(t, patient, manners)
}

// openTimed opens a folder with servers that are waited for as long as timing says.
func openTimed(t *testing.T, timing client.Timing, manners map[string]string) (*mcp.Servers, string) {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, manners)
	s := mcp.Open(mcp.Options{Folder: dir, Trusted: func(string) bool { return true }, Timing: timing, Keyring: func(from, name string) (string, error) {
		if from != dir || name != "key" {
			return "", errors.New("no such key")
		}
		return "k", nil
	}})
	t.Cleanup(s.Close)
	return s, dir
}

func write(t *testing.T, dir string, manners map[string]string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, ".mcp.json"), file(manners), 0o600); err != nil {
		t.Fatal(err)
	}
}

func call(t *testing.T, s *mcp.Servers, server, tool string) (string, error) {
	t.Helper()
	r, err := s.Call(t.Context(), server, client.Call{Tool: tool})
	if err != nil || len(r.Parts) == 0 {
		return "", err
	}
	return r.Parts[0].Text, nil
}

func state(t *testing.T, s *mcp.Servers, name string) mcp.View {
	t.Helper()
	all, err := s.List()
	if err != nil {
		t.Fatal(err)
	}
	return all[slices.IndexFunc(all, func(v mcp.View) bool { return v.Name == name })]
}

// lives reports whether the process with the given id runs.
func lives(t *testing.T, pid string) bool {
	t.Helper()
	number, err := strconv.Atoi(pid)
	if err != nil {
		t.Fatal(err)
	}
	p, err := os.FindProcess(number)
	return err == nil && p.Signal(syscall.Signal(0)) == nil
}

// All agents share one process; it starts when it is first used, and ends with the folder.
func TestOneProcess(t *testing.T) {
	s, _ := open(t, map[string]string{"a": "good", "b": "good"})
	if v := state(t, s, "a"); v.State != mcp.Configured || len(s.Known()) != 0 {
		t.Errorf("%+v", v)
	}
	pids := make([]string, 20)
	var all sync.WaitGroup
	for i := range pids {
		all.Go(func() { pids[i], _ = call(t, s, "a", "pid") })
	}
	all.Wait()
	if slices.Sort(pids); pids[0] != pids[19] || pids[0] == "" {
		t.Error(pids)
	}
	if v := state(t, s, "a"); v.State != mcp.Ready || v.Title != "good" || state(t, s, "b").State != mcp.Configured {
		t.Errorf("%+v", v)
	}
	s.Close()
	if lives(t, pids[0]) {
		t.Error("the server outlived the folder")
	}
	if _, err := call(t, s, "a", "pid"); err == nil {
		t.Error("a server started after the folder was closed")
	}
}

func TestStopAndRestart(t *testing.T) {
	s, _ := open(t, map[string]string{"a": "good"})
	before, _ := call(t, s, "a", "pid")
	if err := s.Stop("a"); err != nil || lives(t, before) || state(t, s, "a").State != mcp.Stopped {
		t.Error(err)
	}
	s.Start(t.Context())
	if _, err := call(t, s, "a", "pid"); err == nil || !strings.Contains(err.Error(), "is stopped") {
		t.Error("a server that the person stopped started by itself", err)
	}
	if err := s.Restart(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if after, err := call(t, s, "a", "pid"); err != nil || after == before {
		t.Error(after, err)
	}
}

// A server that dies causes an error, and starts again for the next call.
func TestDies(t *testing.T) {
	s, _ := open(t, map[string]string{"a": "good"})
	if _, err := call(t, s, "a", "die"); err == nil || !strings.Contains(err.Error(), "exit status 3") {
		t.Error(err)
	}
	if log, err := s.Log("a"); err != nil || !strings.Contains(log, "my last words") {
		t.Error(log, err)
	}
	waittest.Until(t, "it counts as failed", func() bool { return state(t, s, "a").State == mcp.Failed })
	if v := state(t, s, "a"); !strings.Contains(v.Problem, `its last line is "my last words"`) {
		t.Errorf("%+v", v)
	}
	if got, err := call(t, s, "a", "pid"); err != nil || got == "" {
		t.Error(got, err)
	}
}

// A server that cannot start is not started again at every call.
func TestFailsOnce(t *testing.T) {
	s, dir := open(t, map[string]string{})
	text := `{"mcpServers": {"a": {"command": "sh", "args": ["-c", "echo again >&2; exit 2"]}, "b": {"command": "x", "env": {"K": "${keyring:none}"}},
		"c": {"command": "sh", "args": ["-c", "echo Error: no module >&2; echo v20 >&2; exit 1"]}}}`
	if err := os.WriteFile(filepath.Join(dir, ".mcp.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := call(t, s, "a", "x"); err == nil || !strings.Contains(err.Error(), "exit status 2") {
			t.Error(err)
		}
	}
	if log, _ := s.Log("a"); log != "again\n" {
		t.Errorf("%q", log)
	}
	call(t, s, "c", "x")
	if v := state(t, s, "c"); !strings.Contains(v.Problem, `; it printed "Error: no module"`) {
		t.Errorf("%+v", v)
	}
	if _, err := call(t, s, "b", "x"); err == nil || !strings.Contains(err.Error(), "mutsumi mcp key none") {
		t.Error(err)
	}
}

// A changed file ends the servers that it no longer names, and starts none.
func TestConfigurationChanges(t *testing.T) {
	s, dir := open(t, map[string]string{"a": "good", "b": "good"})
	a, _ := call(t, s, "a", "pid")
	b, _ := call(t, s, "b", "pid")
	write(t, dir, map[string]string{"b": "good", "c": "good"})
	if v := state(t, s, "c"); v.State != mcp.Configured {
		t.Errorf("%+v", v)
	}
	waittest.Until(t, "a ends", func() bool { return !lives(t, a) })
	if again, _ := call(t, s, "b", "pid"); again != b {
		t.Error("b was restarted")
	}
}

func TestTrust(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"a": "good", "mine": "hang"})
	trusted := ""
	s := mcp.Open(mcp.Options{Folder: dir, Trusted: func(text string) bool { return text == trusted }, Timing: patient,
		Settings: func() []byte {
			return []byte(strings.ReplaceAll(string(file(map[string]string{"mine": "good"})), "${keyring:key}", ""))
		},
		Keyring: func(string, string) (string, error) { return "k", nil }})
	t.Cleanup(s.Close)
	s.Start(t.Context())
	if _, err := call(t, s, "a", "pid"); err == nil || !strings.Contains(err.Error(), "trust") || state(t, s, "a").State != mcp.Configured {
		t.Error(err)
	}
	if got, err := call(t, s, "mine", "pid"); err != nil || got == "" || state(t, s, "mine").From != "settings" {
		t.Error("the person's own server does not come first", err)
	}
	if v := state(t, s, "a"); !strings.Contains(v.Line, filepath.Base(os.Args[0])) {
		t.Error("the command to start is not shown:", v.Line)
	}
	text, err := os.ReadFile(filepath.Join(dir, ".mcp.json"))
	if err != nil {
		t.Fatal(err)
	}
	trusted = string(text)
	if _, err := call(t, s, "a", "pid"); err != nil {
		t.Error(err)
	}
}

// A configuration read before the person trusted the folder does not end servers started since.
func TestAnEarlierLookDoesNotCountLater(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"a": "good"})
	var trusted, looked atomic.Bool
	looks, goOn := make(chan struct{}), make(chan struct{})
	s := mcp.Open(mcp.Options{Folder: dir, Timing: patient, Keyring: func(string, string) (string, error) { return "k", nil }, Trusted: func(string) bool {
		is := trusted.Load()
		if looked.CompareAndSwap(false, true) {
			close(looks)
			<-goOn
		}
		return is
	}})
	t.Cleanup(s.Close)
	first, started := make(chan struct{}), make(chan error, 1)
	go func() { defer close(first); s.List() }()
	<-looks
	trusted.Store(true)
	go func() { started <- s.Restart(t.Context(), "a") }()
	time.Sleep(300 * time.Millisecond) // it may start meanwhile, or wait: nothing tells that it waits
	close(goOn)
	<-first
	if err := <-started; err != nil || state(t, s, "a").State != mcp.Ready {
		t.Errorf("%v, %+v", err, state(t, s, "a"))
	}
}

// Servers that hang, flood, die or change their list all the time slow no other server down.
func TestBadServersHarmOnlyThemselves(t *testing.T) {
	s, _ := open(t, map[string]string{"hang": "hang", "flood": "good", "big": "good", "restless": "restless", "good": "good"})
	call(t, s, "good", "pid")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var all sync.WaitGroup
	for server, tool := range map[string]string{"hang": "x", "flood": "flood", "big": "big", "restless": "hang"} {
		all.Go(func() {
			if _, err := s.Call(ctx, server, client.Call{Tool: tool}); err == nil {
				t.Error(server, "caused no error")
			}
		})
	}
	waittest.Until(t, "two of them hang", func() bool {
		log, err := s.Log("restless")
		return err == nil && strings.Contains(log, mcptest.Hangs) && state(t, s, "hang").State == mcp.Starting
	})
	slowest := time.Duration(0)
	for range 50 {
		began := time.Now()
		if _, err := call(t, s, "good", "pid"); err != nil {
			t.Fatal(err)
		}
		slowest = max(slowest, time.Since(began))
	}
	if slowest > patient.Quiet/2 { // those that hang never answer
		t.Error("a call of the good server took", slowest)
	}
	cancel()
	all.Wait()
	for range 3 {
		if _, err := s.Tools(t.Context(), "restless"); err != nil {
			t.Error(err)
		}
	}
	var memory runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&memory)
	if memory.HeapAlloc > 64<<20 {
		t.Errorf("%d MB stay in memory", memory.HeapAlloc>>20)
	}
}

// A server that was too slow once, to start or to list its tools, is not waited for at every run.
func TestStartWaitsOnce(t *testing.T) {
	waiting := map[string]string{
		"hang": "The server slow is still starting: search again soon.",
		"half": "The server slow is ready but has not listed its tools yet: search again soon.",
	}
	for manner, left := range map[string]mcp.State{"hang": mcp.Starting, "half": mcp.Ready} {
		t.Run(manner, func(t *testing.T) {
			s, _ := open(t, map[string]string{"slow": manner, "good": "good"})
			if _, err := s.Tools(t.Context(), "good"); err != nil {
				t.Fatal(err)
			}
			if left == mcp.Ready {
				call(t, s, "slow", "hello")
			}
			for i, limit := range []time.Duration{time.Second, 20 * time.Second} {
				began := time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), limit)
				s.Start(ctx)
				if d := time.Since(began); i == 0 && d < limit || i == 1 && d > limit/2 {
					t.Errorf("start %d took %s", i, d)
				}
				cancel()
			}
			if len(s.Known()) == 0 || state(t, s, "slow").State != left {
				t.Error(s.Known(), state(t, s, "slow"))
			}
			if got := searchedTools(t, s); !strings.Contains(got, waiting[manner]) {
				t.Errorf("a search of tools says %q", got)
			}
		})
	}
}

// searchedTools is what a model reads that lists the tools beside those it has.
func searchedTools(t *testing.T, s *mcp.Servers) string {
	t.Helper()
	of := offer.New(s).Offer(offer.Wanted{
		Kind: func(string, string) bool { return true }, Off: func(string, string) bool { return false },
		Model: "m", Share: 1 << 20, Count: func(tool.Tool) int { return 1 },
	})
	call, err := of.Sent[0].Parse([]byte(`{"query":""}`))
	if err != nil {
		t.Fatal(err)
	}
	return tool.Run(t.Context(), tool.Env{}, call).Content
}
