package demo

import (
	_ "embed"
	"fmt"
	"strings"

	"mutsumi/backend/chat"
	"mutsumi/backend/clip"
	"mutsumi/backend/lazyregexp"
)

//go:embed guide_en.md
var guideEN string

//go:embed guide_zh.md
var guideZH string

// topics are the words of a prompt that select a section of the guide, in the order of the
// sections.
var topics = []*lazyregexp.Regexp{
	lazyregexp.New(`\b(run|start|execute|stop|edit|re-?run|prompt|cell|shift)\b|运行|执行|停止|提示`),
	lazyregexp.New(`\b(refer(ence)?s?|attach|include|mention|files? into)\b|@\[|引用|附加|包含`),
	lazyregexp.New(`\b(images?|pictures?|screenshots?|photos?|paste|drop)\b|图片|截图|粘贴|照片`),
	lazyregexp.New(`\b(preview|sent|send|context|inspect(or)?|tokens?)\b|预览|发送|上下文`),
	lazyregexp.New(`\b(connect|providers?|keys?|api|models?|ollama|lm studio|llama|openai|anthropic|settings?|configure)\b|连接|密钥|模型|接入|设置|提供方`),
	lazyregexp.New(`\b(agents?|notebooks?|parallel|several|new)\b|智能体|多个|笔记本|并行`),
}

// guide explains how to use the program: the requested sections, or all of them.
func (t turn) guide() string {
	sections := strings.Split("\n"+t.say(guideEN, guideZH), "\n## ")[1:]
	var b strings.Builder
	for i, s := range sections {
		if topics[i].MatchString(t.asked) {
			b.WriteString("## " + strings.TrimSpace(s) + "\n\n")
		}
	}
	if b.Len() > 0 {
		return b.String()
	}
	b.WriteString(t.say("Welcome. This is how to begin.\n\n", "欢迎。可以这样开始。\n\n"))
	for _, s := range sections {
		b.WriteString("## " + strings.TrimSpace(s) + "\n\n")
	}
	return b.String() + t.abilities()
}

// abilities lists what the model can do.
func (t turn) abilities() string {
	return t.say(`## What you can ask me

| Ask | What I do |
| --- | --- |
| what is in this folder? | list it, and read its README |
| read `+"`README.md`"+` | its size, headings and first lines |
| search for "TODO" | the matching lines |
| find `+"`*.py`"+` files | their names |
| outline the code | types and functions |
| how do I connect a model? | this guide |
| `+"`/demo`"+` | a list of things for trying out the program |
`, `## 可以这样问我

| 提问 | 我会做什么 |
| --- | --- |
| 这个文件夹里有什么？ | 列出文件，并读取 README |
| 读取 `+"`README.md`"+` | 大小、标题和开头 |
| 搜索 "TODO" | 匹配的行 |
| 查找 `+"`*.py`"+` | 文件名 |
| 代码大纲 | 类型和函数 |
| 怎么连接模型？ | 这份指南 |
| `+"`/demo`"+` | 用于试用程序的命令 |
`)
}

// me describes this model.
func (t turn) me() string {
	return t.say(`I am the offline model that comes with Mutsumi: a small program that answers by rules. There is no language model behind me: I understand a few kinds of requests by their words, use the tools I am offered and count what they bring. Nothing of what you write leaves this machine.

For real answers connect a provider: press **Ctrl+,** and add one, or start Ollama, LM Studio or llama.cpp, which is found by itself.

`, `我是 Mutsumi 自带的离线模型：一个按规则回答的小程序。我背后没有语言模型，只能凭关键词理解几类请求，使用提供的工具并统计结果。你写的内容不会离开这台机器。

想得到真正的回答，请连接一个提供方：按 **Ctrl+,** 添加，或者启动 Ollama、LM Studio、llama.cpp，程序会自动找到。

`) + t.abilities()
}

// atALoss answers a prompt that no rule matches: it lists what was read, and what to do next.
func (t turn) atALoss() string {
	var b strings.Builder
	b.WriteString(t.say("I cannot answer that: no rule of mine fits it, and I am no language model. What I read:\n\n", "这个问题我回答不了：没有适用的规则，而我不是语言模型。我读到的内容：\n\n"))
	b.WriteString(t.summary())
	b.WriteString(t.say("\nTo get a real answer, connect a model: **Ctrl+,** opens the settings.\n\n", "\n想得到真正的回答，请连接模型：按 **Ctrl+,** 打开设置。\n\n"))
	return b.String() + t.abilities()
}

// summary counts the content of the request.
func (t turn) summary() string {
	var b strings.Builder
	bytes, prompts := 0, 0
	for _, m := range t.messages {
		bytes += len(m.Content.String())
		if m.Role == chat.User {
			prompts++
		}
	}
	fmt.Fprintf(&b, t.say("- a prompt of %s\n", "- 提示：%s\n"), t.count(len(strings.Fields(t.prompt)), "word", "个词"))
	fmt.Fprintf(&b, t.say("- %s with %s of text, %d from you\n", "- %s，共 %s 文本，其中 %d 条来自你\n"), t.count(len(t.messages), "message", "条消息"), size(bytes), prompts)
	if n := len(t.attached.Files); n > 0 {
		fmt.Fprintf(&b, "- %s\n", t.count(n, "attached file", "个附带文件"))
	}
	if n := len(t.attached.Rules); n > 0 {
		fmt.Fprintf(&b, "- %s\n", t.count(n, "rule", "条规则"))
	}
	fmt.Fprintf(&b, "- %s\n", t.offers())
	return b.String()
}

// arrived lists the messages as they came.
func (t turn) arrived() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, about %d tokens.\n\n| | Role | Bytes | Begins |\n| ---: | --- | ---: | --- |\n", t.count(len(t.messages), "message", "条消息"), func() (n int) {
		for _, m := range t.messages {
			n += tokens(m.Content.String())
		}
		return n
	}())
	for i, m := range t.messages {
		text := m.Content.String()
		begins := clip.Line(text, 60)
		if n := len(images(m)); n > 0 {
			begins += fmt.Sprintf(" [%d images]", n)
		}
		for _, c := range m.ToolCalls {
			begins += " [call of " + c.Function.Name + "]"
		}
		if begins == "" {
			begins = "(nothing)"
		}
		fmt.Fprintf(&b, "| %d | %s | %d | %s |\n", i+1, inCell(string(m.Role)), len(text), inCell(begins))
	}
	if len(t.attached.Files)+len(t.attached.Rules) > 0 {
		fmt.Fprintf(&b, "\nAttached to the last prompt: %s, %s.\n", t.count(len(t.attached.Files), "file", "个文件"), t.count(len(t.attached.Rules), "rule", "条规则"))
	}
	return b.String()
}
