package demo_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/chat"
	"mutsumi/backend/fault"
	"mutsumi/backend/files"
	"mutsumi/backend/provider"
	"mutsumi/backend/provider/demo"
	"mutsumi/backend/provider/openai"
	"mutsumi/backend/tool"
	"mutsumi/backend/tool/builtin"
)

// world is the offline model, the real client, and the real tools on a folder.
type world struct {
	t      *testing.T
	server *demo.Server
	client *openai.Client
	tools  *tool.Registry
	model  string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	s, err := demo.Start(t.Context(), demo.Pace(0))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"README.md":         "# The garden\n\nSix beds.\n\n```\n# no heading\n```\n\n## Run it\n\nTODO: water\n",
		"src/today.py":      "import sys\n\ndef water(bed):\n    return bed  # TODO\n\nclass Bed:\n    pass\n",
		"src/deep/notes.md": "nothing here\n",
		"data/beds.csv":     "bed,plant\n1,salad\n2,peas | beans\n",
		"data/big.log":      strings.Repeat("a line of the log\n", 3000),
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	roots, err := files.New(dir, []string{dir})
	if err != nil {
		t.Fatal(err)
	}
	return &world{t, s, client(s), tool.NewRegistry(builtin.Reading(builtin.Options{Roots: roots})...), "demo"}
}

func client(s *demo.Server) *openai.Client {
	return openai.New(openai.Config{Name: "Offline guide", BaseURL: s.BaseURL, Key: func() (string, error) { return s.Key, nil }, FirstWait: time.Millisecond, MaxRetryAfter: time.Millisecond})
}

// answer is one whole answer.
type answer struct {
	text, reasoning, finish string
	calls                   []chat.ToolCall
	usage                   *chat.Usage
	waits                   int
}

func (w *world) stream(messages []chat.Message) (a answer, err error) {
	req := provider.Request{Model: w.model, Messages: messages}
	for _, t := range w.tools.All() {
		req.Tools = append(req.Tools, provider.ToolSpec{Name: t.Name(), Description: t.Description(), Parameters: t.Schema()})
	}
	err = w.client.Stream(w.t.Context(), req, func(c provider.Chunk) error {
		a.text += c.Text
		a.reasoning += c.Reasoning
		for _, d := range c.ToolCalls {
			if d.Index == len(a.calls) {
				a.calls = append(a.calls, chat.ToolCall{ID: d.ID, Function: chat.Function{Name: d.Name}})
			}
			a.calls[d.Index].Function.Arguments += d.Arguments
		}
		if c.Wait != nil && !c.Wait.Until.IsZero() {
			a.waits++
		}
		if c.FinishReason != "" {
			a.finish = c.FinishReason
		}
		if c.Usage != nil {
			a.usage = c.Usage
		}
		return nil
	})
	return a, err
}

// converse runs prompt with the tools until there is no call, and returns the last answer and the
// names of the called tools.
func (w *world) converse(messages ...chat.Message) (answer, []string) {
	w.t.Helper()
	var called []string
	for range 10 {
		a, err := w.stream(messages)
		if err != nil {
			w.t.Fatal(err)
		}
		if !strings.Contains(a.text, "no language model") && !strings.Contains(a.text, "不是语言模型") {
			w.t.Errorf("an answer does not name its source: %q", a.text)
		}
		if len(a.calls) == 0 {
			return a, called
		}
		messages = append(messages, chat.Message{Role: chat.Assistant, Content: chat.Text(a.text), ToolCalls: a.calls})
		for _, c := range a.calls {
			called = append(called, c.Function.Name+" "+c.Function.Arguments)
			call, err := w.tools.Prepare(c.Function.Name, c.Function.Arguments)
			if err != nil {
				w.t.Fatal(err)
			}
			res := tool.Run(context.Background(), tool.Env{}, call)
			messages = append(messages, chat.Message{Role: chat.Tool, ToolCallID: c.ID, Name: c.Function.Name, Content: chat.Text(res.Content)})
		}
	}
	w.t.Fatal("no end of tool calls")
	return answer{}, nil
}

// TestWriting checks a tool that writes; approval is tested elsewhere.
func TestWriting(t *testing.T) {
	w := newWorld(t)
	dir := t.TempDir()
	roots, err := files.New(dir, []string{dir})
	if err != nil {
		t.Fatal(err)
	}
	var offered []tool.Tool
	for _, o := range builtin.All(builtin.Options{Roots: roots}) {
		if o.Name() == "write_file" {
			offered = append(offered, o)
		}
	}
	w.tools = tool.NewRegistry(offered...)
	for prompt, want := range map[string]string{
		`Write "Bed 2 needs shade." into notes/ideas.md.`: `write_file {"content":"Bed 2 needs shade.\n","uri":"notes/ideas.md"}`,
		"把“2 号畦需要遮阴。”写入 notes/ideas.md。":                  `write_file {"content":"2 号畦需要遮阴。\n","uri":"notes/ideas.md"}`,
	} {
		if a, called := w.converse(ask(prompt)); !slices.Equal(called, []string{want}) {
			t.Errorf("%s: called %q, %s", prompt, called, a.text)
		}
	}
}

func ask(text string) chat.Message { return chat.Message{Role: chat.User, Content: chat.Text(text)} }

func TestPrompts(t *testing.T) {
	w := newWorld(t)
	for prompt, c := range map[string]struct {
		calls []string
		words []string
	}{
		"What is in this folder?":               {[]string{`ls {"uri":"."}`, `read_file {"uri":"README.md"}`}, []string{"2 folders and 1 file", "`src/`", "| `.md` | 1 |", "`The garden`", "`Run it` (9)"}},
		"这个文件夹里有什么？":                            {[]string{`ls {"uri":"."}`, `read_file {"uri":"README.md"}`}, []string{"2 个文件夹", "`The garden`", "不是语言模型"}},
		"list the src folder":                   {[]string{`ls {"uri":"src"}`}, []string{"In `src`", "`today.py`"}},
		"列出 data/ 目录":                           {[]string{`ls {"uri":"data"}`}, []string{"`beds.csv`"}},
		"read README.md":                        {[]string{`read_file {"uri":"README.md"}`}, []string{"| 11 | ", "2 headings"}},
		"读取 src/today.py":                       {[]string{`read_file {"uri":"src/today.py"}`}, []string{"`water` (3)", "`Bed` (6)", "```py"}},
		"please show me data/beds.csv":          {[]string{`read_file {"uri":"data/beds.csv"}`}, []string{"2 rows", "| `bed` |", `peas \| beans`}},
		"summarize @[data/big.log:1:10] please": {[]string{`read_file {"uri":"data/big.log"}`}, []string{"Lines 1 to", "start_line"}},
		"read today.py":                         {[]string{`read_file {"uri":"today.py"}`, `glob {"pattern":"**/*today.py*","uri":"."}`, `read_file {"uri":"src/today.py"}`}, []string{"`water` (3)"}},
		"read absent.go":                        {[]string{`read_file {"uri":"absent.go"}`, `glob {"pattern":"**/*absent.go*","uri":"."}`}, []string{"did not work", "No file matches"}},
		"search for TODO":                       {[]string{`grep {"ignore_case":true,"keyword":"TODO","literal":true,"uri":"."}`}, []string{"2 matching lines in 2 files", "| `README.md` | 1 | 11: `TODO: water` |"}},
		"搜索 \"TODO\"":                           {[]string{`grep {"ignore_case":true,"keyword":"TODO","literal":true,"uri":"."}`}, []string{"2 行匹配"}},
		"在 src/ 中搜索 TODO":                       {[]string{`grep {"ignore_case":true,"keyword":"TODO","literal":true,"uri":"src"}`}, []string{"1 行匹配"}},
		"搜索 todo 在 src/ 里":                      {[]string{`grep {"ignore_case":true,"keyword":"todo","literal":true,"uri":"src"}`}, []string{"1 行匹配"}},
		"README.md 里写了什么？":                      {[]string{`read_file {"uri":"README.md"}`}, []string{"`The garden`"}},
		"查找所有 *.py 文件":                          {[]string{`glob {"pattern":"*.py","uri":"."}`}, []string{"`src/today.py`"}},
		"search for beds in data/":              {[]string{`grep {"ignore_case":true,"keyword":"beds","literal":true,"uri":"data"}`, `glob {"pattern":"**/*beds*","uri":"."}`}, []string{"`data/beds.csv`"}},
		"open @[src] for me":                    {[]string{`read_file {"uri":"src"}`, `ls {"uri":"src"}`}, []string{"`deep/`"}},
		"read https://example.org/a.txt for me": {nil, []string{"cannot answer"}},
		"where is water defined?":               {[]string{`grep {"ignore_case":true,"keyword":"water","literal":true,"uri":"."}`}, []string{"2 matching lines"}},
		"find all *.md files":                   {[]string{`glob {"pattern":"*.md","uri":"."}`}, []string{"2 files match", "`src/deep/notes.md`"}},
		"find today":                            {[]string{`grep {"ignore_case":true,"keyword":"today","literal":true,"uri":"."}`, `glob {"pattern":"**/*today*","uri":"."}`}, []string{"`src/today.py`"}},
		"give me an outline of the code":        {[]string{`project_outline {"uri":"."}`}, []string{"water", "Bed"}},
		"read src/deep":                         {[]string{`ls {"uri":"src/deep"}`}, []string{"`notes.md`"}},
		"What operating system is this?":        {[]string{`system_info {}`}, []string{"system_info"}},
		"hello":                                 {nil, []string{"Shift+Enter", "@[", "Ctrl+V", "Ctrl+,", "`/demo`"}},
		"你好":                                    {nil, []string{"Shift+Enter", "连接模型"}},
		"How do I connect a model?":             {nil, []string{"OPENAI_API_KEY", "Ollama"}},
		"怎么粘贴图片？":                               {nil, []string{"Ctrl+V", "使用图片"}},
		"Who are you?":                          {nil, []string{"rules", "no language model"}},
		"Write a poem about rain":               {nil, []string{"cannot answer", "a prompt of 5 words", "`ls`"}},
		"/demo":                                 {nil, []string{"/demo stream N"}},
		"/demo tools":                           {[]string{`ls {"uri":"."}`, `glob {"pattern":"**/*.md"}`, `project_outline {}`, `system_info {}`}, []string{"In `.`", "2 files match"}},
		`/demo tool ls {"uri":"data"}`:          {[]string{`ls {"uri":"data"}`}, []string{"`beds.csv`"}},
		"/demo echo a\nb":                       {nil, []string{"a\nb"}},
		"/demo messages":                        {nil, []string{"1 message", "| 1 | `user` | 14 |"}},
		"/demo markdown":                        {nil, []string{"$$", "- [x]"}},
		"/demo nonsense":                        {nil, []string{"/demo stream N"}},
		"":                                      {nil, []string{"cannot answer"}},
	} {
		t.Run(prompt, func(t *testing.T) {
			w.t = t
			a, called := w.converse(ask(prompt))
			if !slices.Equal(called, c.calls) {
				t.Errorf("called %q, want %q", called, c.calls)
			}
			for _, word := range c.words {
				if !strings.Contains(a.text, word) {
					t.Errorf("no %q in\n%s", word, a.text)
				}
			}
			if a.finish != "stop" || a.usage == nil || a.usage.Output == 0 {
				t.Errorf("finish %q, usage %+v", a.finish, a.usage)
			}
		})
	}
}

func TestAttachedFiles(t *testing.T) {
	w := newWorld(t)
	block := "\n\n<content_reference>\n" + `{"rules":[{"name":"r","content":"x"}],"files":{"b.md":"# B\n","a.go:1:3":"package a\n\nfunc A() {}"},"tools":[]}` + "\n</content_reference>"
	a, called := w.converse(ask("What do you make of these?" + block))
	if len(called) != 0 || strings.Index(a.text, "`b.md`") > strings.Index(a.text, "`a.go:1:3`") || !strings.Contains(a.text, "`A` (3)") || !strings.Contains(a.text, "2 files came with the prompt, and 1 rule") {
		t.Errorf("%q\n%s", called, a.text)
	}
	if a, called = w.converse(ask("explain @[a.go:1:3]" + block)); len(called) != 0 || !strings.Contains(a.text, "`A` (3)") || strings.Contains(a.text, "b.md") {
		t.Errorf("%q\n%s", called, a.text)
	}
}

func TestReasoning(t *testing.T) {
	w := newWorld(t)
	w.model = "demo-reasoning"
	a, _ := w.converse(ask("search for TODO"))
	if !strings.Contains(a.reasoning, "only rules") || a.usage.Reasoning == 0 {
		t.Errorf("%q %+v", a.reasoning, a.usage)
	}
	w.model = "demo"
	if a, _ = w.converse(ask("/demo reasoning 30")); len(strings.Fields(a.reasoning)) != 30 {
		t.Errorf("%q", a.reasoning)
	}
}

func TestStreamOfTokens(t *testing.T) {
	w := newWorld(t)
	a, _ := w.converse(ask("/demo stream 2000 0"))
	if n := len(regexp.MustCompile(`\b\d{3}\b`).FindAllString(a.text, -1)); n != 2000 || a.usage.Output < 2000 {
		t.Errorf("%d tokens, usage %+v", n, a.usage)
	}
}

func TestTrouble(t *testing.T) {
	w := newWorld(t)
	for prompt, code := range map[string]string{
		"/demo error 401":     fault.CodeKeyRejected,
		"/demo error 404":     fault.CodeModelUnknown,
		"/demo error 429":     fault.CodeRateLimited,
		"/demo error 500":     fault.CodeServer,
		"/demo error context": fault.CodeContextTooLong,
		"/demo error stream":  fault.CodeStreamError,
		"/demo break":         fault.CodeStreamBroken,
		"/demo html":          fault.CodeNotAStream,
	} {
		if _, err := w.stream([]chat.Message{ask(prompt)}); fault.Of(err) == nil || fault.Of(err).Code != code {
			t.Errorf("%s: %v, want code %s", prompt, err, code)
		}
	}
	for range 2 {
		if a, err := w.stream([]chat.Message{ask("/demo flaky 3")}); err != nil || a.waits != 3 || !strings.Contains(a.text, "after 3 failures") {
			t.Errorf("flaky: %d waits, %q, %v", a.waits, a.text, err)
		}
	}
	if a, err := w.stream([]chat.Message{ask("/demo empty")}); err != nil || a.text != "" || a.finish != "stop" {
		t.Errorf("empty: %+v, %v", a, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err := w.client.Stream(ctx, provider.Request{Model: "demo", Messages: []chat.Message{ask("/demo stall")}}, func(c provider.Chunk) error {
		if strings.Contains(c.Text, "come") {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("stall: %v", err)
	}
}

func TestMaxTokens(t *testing.T) {
	w := newWorld(t)
	var text, finish string
	err := w.client.Stream(t.Context(), provider.Request{Model: "demo", MaxTokens: 10, Messages: []chat.Message{ask("/demo stream 100 0")}}, func(c provider.Chunk) error {
		text += c.Text
		finish += c.FinishReason
		return nil
	})
	if err != nil || finish != "length" || len(text) != 40 {
		t.Errorf("%q %q %v", text, finish, err)
	}
}

func TestChildEndsWithItsReport(t *testing.T) {
	w := newWorld(t)
	dir := t.TempDir()
	roots, err := files.New(dir, []string{dir})
	if err != nil {
		t.Fatal(err)
	}
	w.tools = tool.NewRegistry(builtin.Reading(builtin.Options{Roots: roots, Child: true})...)
	a, err := w.stream([]chat.Message{ask("who are you")})
	if err != nil || len(a.calls) != 1 || a.calls[0].Function.Name != "task_finish" || !strings.Contains(a.calls[0].Function.Arguments, `"summary":"I am the offline model`) {
		t.Errorf("%+v %v", a, err)
	}
}

func TestNoTools(t *testing.T) {
	w := newWorld(t)
	w.tools = nil
	a, _ := w.converse(ask("list the files"))
	if !strings.Contains(a.text, "`ls`") || !strings.Contains(a.text, "No tools were offered") {
		t.Error(a.text)
	}
}

func TestModelsAndKeys(t *testing.T) {
	w := newWorld(t)
	list, err := w.client.Models(t.Context())
	if err != nil || len(list) != 2 || list[0].ID != "demo" || !*list[0].Images || !*list[0].Tools || *list[0].Reasoning || !*list[1].Reasoning || list[0].ContextTokens == 0 {
		t.Errorf("%+v %v", list, err)
	}
	for _, header := range []string{"", "Bearer ", "Bearer demo", w.server.Key} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.server.BaseURL+"/models", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", header)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusUnauthorized {
			t.Errorf("%q: %s", header, resp.Status)
		}
	}
	_, err = w.stream(nil)
	if err != nil {
		t.Error(err)
	}
	w.model = "gpt-9"
	if _, err = w.stream([]chat.Message{ask("hi")}); fault.Of(err).Code != fault.CodeModelUnknown {
		t.Error(err)
	}
}

func TestEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s, err := demo.Start(ctx)
	if err != nil {
		t.Fatal(err)
	}
	c := openai.New(openai.Config{BaseURL: s.BaseURL, Key: func() (string, error) { return s.Key, nil }, Attempts: 1})
	err = c.Stream(t.Context(), provider.Request{Model: "demo", Messages: []chat.Message{ask("/demo stream 100000 20")}}, func(ch provider.Chunk) error {
		cancel()
		return nil
	})
	if fault.Of(err) == nil || fault.Of(err).Code != fault.CodeStreamBroken {
		t.Errorf("the answer went on: %v", err)
	}
	if _, err = c.Models(t.Context()); fault.Of(err) == nil || fault.Of(err).Code != fault.CodeUnreachable {
		t.Errorf("the server is still there: %v", err)
	}
}
