package demo

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"mutsumi/backend/clip"
	"mutsumi/backend/lazyregexp"
)

// maxSteps ends a chain of tool calls.
const maxSteps = 5

// answer makes the reply to a request.
func (s *Server) answer(req request, reasoning bool) reply {
	t := readTurn(req)
	rep, ok := s.command(t)
	if !ok {
		rep = t.reply()
		rep.pace = s.pace
	}
	if rep.status != 0 || rep.html || rep.ending != well {
		return rep
	}
	if reasoning && rep.reasoning == "" {
		rep.reasoning = t.thoughts(rep)
	}
	if len(rep.calls) == 0 && rep.text != "" {
		rep.text = strings.TrimRight(rep.text, "\n") + "\n\n---\n" + t.say(
			"*This is Mutsumi's built-in offline model: a program, no language model.*",
			"*这是 Mutsumi 内置的离线模型：它只是一段程序，不是语言模型。*") + "\n"
		if t.has("task_finish") && t.did("task_finish") == 0 && !ok {
			rep.calls = []call{t.finish(rep.text)} // a child's work ends with its report
		}
	}
	return rep
}

// reply answers a prompt, or continues after the results of tools.
func (t turn) reply() reply {
	w := t.understand()
	if len(t.exchanges) > 0 {
		return t.goOn(w)
	}
	seen := ""
	if len(t.images) > 0 {
		seen = t.measureAll(t.images)
		if w.what == unknown || w.what == listing && w.path == "" && !strings.Contains(t.asked, "fold") && !strings.Contains(t.asked, "file") && !strings.Contains(t.asked, "director") {
			return reply{text: seen}
		}
	}
	rep := t.start(w)
	if seen != "" {
		rep.text = seen + "\n" + rep.text
	}
	return rep
}

// start carries out a wish: by a tool if it needs one.
func (t turn) start(w wish) reply {
	where := inline(firstOf(w.path, "."))
	switch w.what {
	case listing, survey:
		return t.use("ls", map[string]any{"path": firstOf(w.path, ".")}, t.say("I list ", "列出 ")+where+t.say(".", "。"))
	case reading:
		if f, ok := t.attached.find(w.path); ok {
			return reply{text: t.aboutAttached([]file{f})}
		}
		return t.use("read_file", map[string]any{"path": w.path}, t.say("I read ", "读取 ")+where+t.say(".", "。"))
	case writing:
		return t.use("write_file", map[string]any{"path": w.path, "content": w.text + "\n"}, t.say("I write ", "写入 ")+where+t.say(". You are asked first.", "。会先询问你。"))
	case searching:
		return t.use("grep", map[string]any{"what": w.text, "path": firstOf(w.path, "."), "nocase": true, "text": true}, t.say("I search ", "在 ")+where+t.say(" for ", " 中搜索 ")+inline(w.text)+t.say(".", "。"))
	case finding:
		return t.use("glob", map[string]any{"what": w.text, "path": firstOf(w.path, ".")}, t.say("I look for files that match ", "查找匹配的文件：")+inline(w.text)+t.say(".", "。"))
	case outlining:
		return t.use("project_outline", map[string]any{"path": firstOf(w.path, ".")}, t.say("I make an outline of ", "生成大纲：")+where+t.say(".", "。"))
	case system:
		return t.use("system_info", nil, t.say("I ask what system this is.", "查询系统信息。"))
	case helping:
		return reply{text: t.guide()}
	case myself:
		return reply{text: t.me()}
	}
	if len(t.attached.Files) > 0 {
		return reply{text: t.aboutAttached(t.attached.Files)}
	}
	return reply{text: t.atALoss()}
}

// use calls a tool, or says that it does not exist.
func (t turn) use(tool string, args map[string]any, doing string) reply {
	if !t.has(tool) {
		return reply{text: fmt.Sprintf(t.say("For this I would use the tool %s, but it was not offered to me in this request.", "这需要工具 %s，但本次请求没有提供它。"), inline(tool)) + "\n\n" + t.offers()}
	}
	return reply{
		text:  t.say("*Offline model, no language model:* ", "*离线模型，不是语言模型：*") + doing,
		calls: []call{t.call(tool, args)},
	}
}

func (t turn) offers() string {
	if len(t.tools) == 0 {
		return t.say("No tools were offered at all.", "本次请求没有提供任何工具。")
	}
	names := make([]string, len(t.tools))
	for i, o := range t.tools {
		names[i] = inline(o.Function.Name)
	}
	return t.say("Offered were: ", "已提供的工具：") + strings.Join(names, ", ")
}

var (
	notThere = lazyregexp.New(`(?i)\b(no such|not exist|doesn't exist|not found|there is no|is not there|cannot find)\b`)
	noMatch  = lazyregexp.New(`(?i)^(no line matches|no match|no file)`)
	readme   = lazyregexp.New(`(?mi)^\[FILE\] (readme(\.[a-z]+)?)$`)
)

// goOn takes the next step after results: another call if it helps, otherwise the report.
func (t turn) goOn(w wish) reply {
	e := t.exchanges[len(t.exchanges)-1]
	if len(t.exchanges) < maxSteps && !strings.HasPrefix(t.asked, "/demo") {
		if rep, ok := t.next(w, e); ok {
			return rep
		}
	}
	var b strings.Builder
	for i, e := range t.exchanges {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(t.report(e))
	}
	return reply{text: b.String()}
}

func (t turn) next(w wish, e exchange) (reply, bool) {
	missing := len(e.result) < 600 && notThere.MatchString(e.result)
	switch {
	case e.name == "ls" && w.what == survey && t.did("read_file") == 0 && t.has("read_file"):
		if m := readme.FindStringSubmatch(e.result); m != nil {
			file := path.Join(w.path, m[1])
			return t.use("read_file", map[string]any{"path": file}, t.say("There is a ", "这里有 ")+inline(m[1])+t.say("; I read it.", "，读一下。")), true
		}
	case e.name == "read_file" && strings.Contains(e.result, "is a folder") && t.has("ls") && t.did("ls") == 0:
		return t.use("ls", map[string]any{"path": e.arg("path")}, inline(e.arg("path"))+t.say(" is a folder; I list it.", " 是文件夹，列出它。")), true
	case e.name == "read_file" && missing && t.has("glob") && t.did("glob") == 0:
		name := strings.Trim(path.Base(e.arg("path")), "*")
		return t.use("glob", map[string]any{"what": "**/*" + name + "*", "path": "."}, t.say("It is not there; I look for it elsewhere.", "这里没有，去别处找找。")), true
	case e.name == "glob" && w.what == reading && t.did("read_file") == 1:
		if found := matches(e.result); len(found) == 1 {
			return t.use("read_file", map[string]any{"path": found[0]}, t.say("It must be ", "应该是 ")+inline(found[0])+t.say(".", "。")), true
		}
	case e.name == "grep" && noMatch.MatchString(e.result) && t.has("glob") && t.did("glob") == 0 && w.text != "" && !strings.ContainsAny(w.text, " \t/[]{}*?"):
		return t.use("glob", map[string]any{"what": "**/*" + w.text + "*", "path": "."}, t.say("No line has it; perhaps a file's name does.", "没有匹配的行，看看文件名里有没有。")), true
	}
	return reply{}, false
}

// matches are the paths in the output of glob.
func matches(result string) []string {
	var list []string
	for line := range strings.Lines(result) {
		line = strings.TrimSpace(line)
		if line != "" && line[0] != '[' && !noMatch.MatchString(line) {
			list = append(list, line)
		}
	}
	return list
}

// find returns an attached file by its reference, with or without a range.
func (a attached) find(name string) (file, bool) {
	i := slices.IndexFunc(a.Files, func(f file) bool {
		return f.name == name || strings.HasPrefix(f.name, name+":")
	})
	if i < 0 {
		return file{}, false
	}
	return a.Files[i], true
}

// finish ends the work of a child agent (SPEC 5.1).
func (t turn) finish(report string) call {
	return t.call("task_finish", map[string]any{"report": clip.Text(report, 4000)})
}

// thoughts explains how the answer was chosen; there is no other thinking.
func (t turn) thoughts(rep reply) string {
	w := t.understand()
	var b strings.Builder
	fmt.Fprintf(&b, t.say("There is no thinking here, only rules; this is what they did.\n\nThe prompt has %d words", "这里没有思考，只有规则；过程如下。\n\n提示有 %d 个词"), len(strings.Fields(t.prompt)))
	fmt.Fprintf(&b, t.say(", %d images and %d attached files. ", "，%d 张图片，%d 个附带文件。"), len(t.images), len(t.attached.Files))
	if w.word != "" {
		fmt.Fprintf(&b, t.say("The words %q decided what it asks for. ", "起决定作用的词是“%s”。"), w.word)
	}
	if n := len(t.exchanges); n > 0 {
		fmt.Fprintf(&b, t.say("%d tools have answered so far. ", "已有 %d 个工具返回结果。"), n)
	}
	switch {
	case len(rep.calls) > 0:
		fmt.Fprintf(&b, t.say("The next step is to call %s.", "下一步调用 %s。"), rep.calls[0].name)
	default:
		b.WriteString(t.say("No further tool is needed; what is there can be reported.", "不需要更多工具，可以给出结果。"))
	}
	return b.String() + "\n"
}
