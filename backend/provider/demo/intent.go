package demo

import (
	"path"
	"slices"
	"strings"

	"mutsumi/backend/lazyregexp"
)

// intent is the apparent purpose of a prompt.
type intent int

const (
	unknown   intent = iota
	listing          // the content of a folder
	survey           // the purpose of a folder: a listing and its README
	reading          // a file
	writing          // a quoted text into a file
	searching        // a word in files
	finding          // files by name
	outlining        // the structure of the code
	system           // the machine
	helping          // how to use the program
	myself           // about this model
)

// wish is an intent with its object.
type wish struct {
	what intent
	path string // of a file or folder; "" for the workspace
	text string // to search for or to write, or a pattern of names
	word string // the word of the prompt that decided
}

var (
	reference = lazyregexp.New(`@\[([^\[\]{}:]+)(?::\d+(?::\d+)?)?\]`)
	quoted    = lazyregexp.New("`([^`\n]+)`|\"([^\"\n]+)\"|“([^”\n]+)”|「([^」\n]+)」|『([^』\n]+)』|‘([^’\n]+)’|(?:^|\\s)'([^'\n]+)'")
	pathLike  = lazyregexp.New(`(?:\.{0,2}/)?[\p{L}\p{N}_.\-]+(?:/[\p{L}\p{N}_.\-]+)+/?|[\p{L}\p{N}_.\-]+/|[\p{L}\p{N}_\-]+(?:\.[\p{L}\p{N}_\-]+)*\.[A-Za-z][A-Za-z0-9]{0,9}\b|\b(?:Makefile|Dockerfile|LICENSE|README)\b`)
	address   = lazyregexp.New(`\bhttps?://\S+`)
	patterns  = lazyregexp.New(`[\w./\-]*\*[\w.*/{},\-]*`)
	asciiPath = lazyregexp.New(`(?:\.{0,2}/)?[A-Za-z0-9_.\-]+(?:/[A-Za-z0-9_.\-]+)*/?`)

	aboutMe    = lazyregexp.New(`\b(who|what) are you\b|\bare you (a|an|the)\b|\bwhat (is|can) (this|the|you) ?(model|do)\b|language model|你是谁|你是什么|你能做什么|语言模型|什么模型`)
	aboutUse   = lazyregexp.New(`\bhelp\b|\bhow (do|can|to|does|should)\b|get(ting)? started|\btutorial\b|\bguide\b|first steps|\bapi key\b|\bconnect\b|\bprovider\b|\bshortcuts?\b|帮助|怎么|如何|怎样|入门|教程|新手|指南|快捷键|连接|密钥|接入`)
	greeting   = lazyregexp.New(`^(hello|hi|hey|hallo|good (morning|day|evening)|你好|您好|嗨|早上好)[\s!.,！。，]*$`)
	aboutOS    = lazyregexp.New(`\b(system info(rmation)?|operating system|which os|what (os|system|machine))\b|系统信息|操作系统`)
	wantOut    = lazyregexp.New(`\b(outline|structure|symbols?|functions|classes|architecture)\b|大纲|结构|概览|函数|符号`)
	wantFind   = lazyregexp.New(`\b(search|find|grep|look for|where (is|are)|locate|occurrences? of|mentions? of|which files (contain|mention|use))\b|搜索|查找|寻找|找出|找到|哪里|在哪|包含`)
	wantWrite  = lazyregexp.New(`\b(write|put|save)\b.*\b(in(to)?|to|as)\b|写入|写到|写进|保存到|保存为`)
	wantRead   = lazyregexp.New(`\b(read|show|open|cat|display|print|summari[sz]e|describe|explain|look at|check)\b|读取|读一下|阅读|打开|查看|看看|看一下|显示|总结|解释|念|读`)
	wantList   = lazyregexp.New(`\b(list|ls|dir|tree|listing)\b|\b(what|which)\b.*\b(files|folders?|director(y|ies))\b|\b(what('s| is| are)|anything) (in|inside|here)\b|列出|目录|文件夹|有哪些|有什么|有啥|清单`)
	wantSurvey = lazyregexp.New(`\bwhat('s| is)( in)? (this|the|my) (folder|director(y|ies)|project|repo(sitory)?|workspace|code ?base)\b|\b(about|describe|explain|summari[sz]e|overview of) (this|the|my) (folder|project|repo(sitory)?|workspace|code ?base)\b|(这个|本|当前|这)(文件夹|目录|项目|工程|仓库)(里|中|是|有|讲|的)|项目(是做|介绍|概况)`)
)

// a folder with such a name, and words next to "folder" that are not names.
var (
	namedDir = lazyregexp.New(`(?i)\b(?:folder|directory|dir)\s+([\w.\-]+)|\b([\w.\-]+)\s+(?:folder|directory)\b`)
	noName   = []string{"this", "the", "my", "that", "a", "current", "each", "which", "what", "is", "are", "and", "in", "of", "for", "with", "has", "please", "whole", "same", "contains", "about"}
)

// understand recognises the purpose of a prompt. It tries special cases before general ones: a
// prompt about a file is not a question about the program.
func (t turn) understand() wish {
	q := t.asked
	file, dir := t.target()
	word := func(r *lazyregexp.Regexp) string { return r.FindString(q) }
	switch {
	case greeting.MatchString(q):
		return wish{what: helping, word: q}
	case aboutMe.MatchString(q):
		return wish{what: myself, word: word(aboutMe)}
	case wantSurvey.MatchString(q) && file == "":
		return wish{what: survey, path: dir, word: word(wantSurvey)}
	case patterns.MatchString(t.prompt) && (wantFind.MatchString(q) || wantList.MatchString(q)):
		return wish{what: finding, text: patterns.FindString(t.prompt), word: word(wantFind)}
	case wantFind.MatchString(q):
		if w, ok := t.searched(file, dir); ok {
			return w
		}
	case aboutOS.MatchString(q):
		return wish{what: system, word: word(aboutOS)}
	}
	switch {
	case file != "" && wantWrite.MatchString(q) && t.quotes(file) != "":
		return wish{what: writing, path: file, text: t.quotes(file), word: word(wantWrite)}
	case file != "" && (wantRead.MatchString(q) || !aboutUse.MatchString(q)) && !wantOut.MatchString(q):
		return wish{what: reading, path: file, word: word(wantRead)}
	case aboutUse.MatchString(q):
		return wish{what: helping, word: word(aboutUse)}
	case wantOut.MatchString(q):
		return wish{what: outlining, path: firstOf(file, dir), word: word(wantOut)}
	case wantList.MatchString(q), dir != "" && wantRead.MatchString(q):
		return wish{what: listing, path: dir, word: word(wantList)}
	}
	return wish{}
}

// quotes returns the first quoted text of the prompt that is not the name of a file.
func (t turn) quotes(file string) string {
	for _, m := range quoted.FindAllStringSubmatch(t.prompt, -1) {
		if s := firstOf(m[1:]...); s != file {
			return s
		}
	}
	return ""
}

// target finds the file and the folder that the prompt names.
func (t turn) target() (file, dir string) {
	var names []string
	for _, m := range reference.FindAllStringSubmatch(t.prompt, -1) {
		names = append(names, m[1])
	}
	rest := address.ReplaceAllString(reference.ReplaceAllString(t.prompt, " "), " ")
	for _, m := range quoted.FindAllStringSubmatch(rest, -1) {
		if s := firstOf(m[1:]...); pathLike.MatchString(s) && !strings.ContainsAny(s, " *(") {
			names = append(names, s)
		}
	}
	like := pathLike
	if t.zh {
		like = asciiPath // Chinese puts no space between a name and the next word
	}
	for _, s := range like.FindAllString(quoted.ReplaceAllString(rest, " "), -1) {
		if !t.zh || strings.Contains(s, "/") || pathLike.MatchString(s) {
			names = append(names, s)
		}
	}
	for _, n := range names {
		n = strings.TrimRight(n, ".,;:!?")
		switch {
		case strings.HasSuffix(n, "/") || path.Ext(n) == "" && strings.Contains(n, "/"):
			dir = firstOf(dir, strings.TrimSuffix(n, "/"))
		case n != "" && !slices.Contains([]string{"e.g", "i.e", "etc"}, n):
			file = firstOf(file, n)
		}
	}
	if m := namedDir.FindStringSubmatch(rest); m != nil && dir == "" {
		if s := firstOf(m[1:]...); !slices.Contains(noName, strings.ToLower(s)) {
			dir = s
		}
	}
	return file, dir
}

var (
	afterFind = lazyregexp.New(`(?is)\b(?:search(?: for)?|find|grep(?: for)?|look for|where (?:is|are)|locate|occurrences? of|mentions? of|which files (?:contain|mention|use))\s+(.+)`)
	afterZh   = lazyregexp.New(`(?s)(?:搜索|查找|寻找|找出|找到|包含)(?:一下)?\s*(.+)`)
	beforeZh  = lazyregexp.New(`(?s)^(.+?)(?:在哪里|在哪|在什么地方)`)
	lead      = lazyregexp.New(`(?i)^(?:(?:all|every|any|the|a|an|for|files?|named|called|containing|with|word|text|string|lines?|that|contain|mentions? of|occurrences? of|defined|used)\s+|所有|全部|文件|名为|包含|单词)+`)
	tail      = lazyregexp.New(`(?is)\s+(?:in|inside|within|under|across|from)\s+.*$|[\s?.!,;？。！，]+$|\s+(?:defined|used|called|mentioned|please)\b.*$|\s*(?:在|于)\s*[\w./\-]+\s*(?:里|中|下|目录|文件夹|文件).*$|(?:的文件|在哪里|在哪|的地方).*$`)
	byName    = lazyregexp.New(`(?i)\bfiles? (?:named|called)\b|\bfind (?:the )?files?\b|名为`)
)

// searched finds what a prompt wants to search for.
func (t turn) searched(file, dir string) (wish, bool) {
	w := wish{what: searching, path: dir, word: wantFind.FindString(t.asked)}
	plain := reference.ReplaceAllString(t.prompt, " ")
	for _, m := range quoted.FindAllStringSubmatch(plain, -1) {
		w.text = firstOf(m[1:]...)
		break
	}
	if w.text == "" {
		for _, r := range []*lazyregexp.Regexp{afterFind, afterZh, beforeZh} {
			if m := r.FindStringSubmatch(plain); m != nil {
				w.text, _, _ = strings.Cut(strings.TrimSpace(m[1]), "\n")
				break
			}
		}
		for cut := ""; cut != w.text; {
			cut = w.text
			w.text = strings.TrimSpace(tail.ReplaceAllString(lead.ReplaceAllString(w.text, ""), ""))
		}
	}
	if w.text == "" || len(w.text) > 200 {
		return wish{}, false
	}
	if byName.MatchString(t.prompt) || w.text == file && !strings.Contains(t.asked, "contain") && !strings.Contains(t.prompt, "包含") {
		return wish{what: finding, text: "**/*" + strings.Trim(path.Base(w.text), "*") + "*", path: dir, word: w.word}, true
	}
	if file != "" && file != w.text {
		w.path = file
	}
	return w, true
}

func firstOf(list ...string) string {
	for _, s := range list {
		if s != "" {
			return s
		}
	}
	return ""
}
