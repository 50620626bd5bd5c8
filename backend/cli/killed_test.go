package cli_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mutsumi/backend/provider/providertest"
	"mutsumi/backend/waittest"
)

// served is the program as a browser reaches it.
type served struct {
	t       *testing.T
	cmd     *exec.Cmd
	base    string
	session string
}

func serveFolder(t *testing.T, env []string, dir string) *served {
	t.Helper()
	s := &served{t: t, cmd: command(t, env, "serve", dir)}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.kill() })
	lines, address := bufio.NewScanner(out), ""
	for address == "" && lines.Scan() {
		address = regexp.MustCompile(`http://127\.0\.0\.1:\d+/#token=[0-9a-f]{48}`).FindString(lines.Text())
	}
	base, token, ok := strings.Cut(address, "#token=")
	if !ok {
		t.Fatal("no address was printed")
	}
	s.base = base
	var entered struct{ Session string }
	s.post(&entered, "api/session", map[string]string{"token": token})
	s.session = entered.Session
	return s
}

func (s *served) kill() {
	s.cmd.Process.Kill() // SIGKILL
	s.cmd.Wait()
}

// call calls a bound method; its result goes into out unless that is nil.
func (s *served) call(out any, name string, args ...any) {
	s.t.Helper()
	s.post(out, "api/call/"+name, append([]any{}, args...))
}

// post sends a request as the page does, and reads the answer. Without in it only reads.
func (s *served) post(out any, path string, in any) {
	s.t.Helper()
	if problem := s.try(out, path, in); problem != "" {
		s.t.Fatal(problem)
	}
}

// try is post that returns the server's reason for refusing; "": it did not.
func (s *served) try(out any, path string, in any) (problem string) {
	s.t.Helper()
	body, err := json.Marshal(in)
	if err != nil {
		s.t.Fatal(err)
	}
	method := http.MethodPost
	if in == nil {
		method = http.MethodGet
	}
	req, err := http.NewRequest(method, s.base+path, strings.NewReader(string(body)))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.session)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode/100 != 2 {
		var problem any
		json.NewDecoder(res.Body).Decode(&problem)
		return fmt.Sprintf("%s: status %d, %v", path, res.StatusCode, problem)
	}
	if out != nil {
		if err := json.NewDecoder(res.Body).Decode(out); err != nil {
			s.t.Fatalf("%s: %v", path, err)
		}
	}
	return ""
}

// The program is killed with ten agents at work, and restarted: nothing runs unasked, and one call
// continues all of them.
func TestServeIsKilledWithTenAgentsAtWork(t *testing.T) {
	const agents = 10
	var children []string
	script := ""
	for i := range agents {
		children = append(children, fmt.Sprintf(`{"name":"P%02d","prompt":"do part-%02d"}`, i, i))
		script += fmt.Sprintf("answer when \"do part-%02d\"\ntext \"half of %02d\"\nstall\n", i, i)
	}
	server := providertest.New(t, "answer when \"PARENT\"\ntool self_fork {\"children\":["+strings.Join(children, ",")+"]}\n"+
		"answer when \"PARENT\"\ntext all reported\n"+script+
		fmt.Sprintf("answer times %d when \"Go on exactly where it ended\"\ntool task_finish {\"summary\":\"it went on\"}\n", agents))
	dir, config := t.TempDir(), t.TempDir()
	write(t, config, "settings.yaml", fmt.Sprintf("preferences:\n  parallelAgents: %d\n", agents))
	env := []string{"OPENAI_BASE_URL=" + server.URL, "OPENAI_API_KEY=k", "MUTSUMI_CONFIG=" + config, "MUTSUMI_STATE=" + t.TempDir()}
	type request struct {
		ID string `json:"id"`
	}
	var path string
	var made request
	s := serveFolder(t, env, dir)
	s.call(&path, "CreateNotebook", map[string]string{"name": "Parent"})
	s.call(nil, "Edit", path, []map[string]string{{"kind": "model", "text": "", "rest": "m"}}, "")
	s.call(&made, "Edit", path, []map[string]string{{"kind": "insert", "text": "PARENT"}}, "")
	s.call(nil, "Run", path, made.ID, "cell")
	var now struct{ Approvals []request }
	waittest.Until(t, "the card", func() bool { s.call(&now, "Snapshot"); return len(now.Approvals) == 1 })
	s.call(nil, "ResolveApproval", now.Approvals[0].ID, map[string]any{"allow": true})
	notebooks := func(holding string) (n int) {
		files, _ := filepath.Glob(filepath.Join(dir, ".mutsumi", "*.mtm"))
		for _, f := range files {
			if b, err := os.ReadFile(f); err == nil && strings.Contains(string(b), holding) {
				n++
			}
		}
		return n
	}
	waittest.Until(t, "ten agents on the disk", func() bool { return notebooks(`"half of `) == agents })
	s.kill()

	again := serveFolder(t, env, dir)
	var snapshot struct {
		Nodes []struct {
			Name, Status, Problem string
			Marks                 []string
		} `json:"nodes"`
	}
	waittest.Until(t, "eleven interrupted agents", func() bool {
		again.call(&snapshot, "Snapshot")
		interrupted := 0
		for _, n := range snapshot.Nodes {
			if strings.Contains(strings.Join(n.Marks, " "), "interrupted") && n.Status != "running" && n.Problem == "" {
				interrupted++
			}
		}
		return interrupted == agents+1
	})
	if n := len(server.Requests()); n != agents+1 {
		t.Errorf("%d requests before anybody resumed", n)
	}
	again.call(nil, "Resume", path)
	waittest.Until(t, "the report", func() bool { return notebooks("all reported") == 1 })
	if b := read(t, filepath.Join(dir, path)); !strings.Contains(b, "10 children: 10 finished.") || strings.Count(b, "it went on") != agents {
		t.Errorf("the parent: %s", b)
	}
	if n := len(server.Requests()); n != 2*(agents+1) {
		t.Errorf("%d requests in all", n)
	}
}
