package demo

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"mutsumi/backend/clip"
	"mutsumi/backend/lazyregexp"
)

// report describes the result of a tool: figures and the parts worth seeing first.
func (t turn) report(e exchange) string {
	switch {
	case len(e.images) > 0:
		return fmt.Sprintf("### %s\n\n", inline(firstOf(e.arg("path"), e.name))) + t.measureAll(e.images)
	case strings.TrimSpace(e.result) == "" || e.result == "(no output)":
		return fmt.Sprintf(t.say("%s gave nothing back.\n", "%s 没有返回任何内容。\n"), inline(e.name))
	case len(e.result) < 600 && notThere.MatchString(e.result) && !strings.Contains(e.result, "\n"):
		return fmt.Sprintf(t.say("%s did not work: %s\n", "%s 没有成功：%s\n"), inline(e.name), e.result)
	}
	switch e.name {
	case "ls":
		return t.reportList(e)
	case "glob":
		return t.reportFound(e)
	case "grep":
		return t.reportMatches(e)
	case "read_file":
		return t.describe(firstOf(e.arg("path"), "?"), e.result)
	}
	return t.reportText(e)
}

func (t turn) reportList(e exchange) string {
	var dirs, names []string
	for line := range strings.Lines(e.result) {
		line = strings.TrimSpace(line)
		if d, ok := strings.CutPrefix(line, "[DIR] "); ok {
			dirs = append(dirs, d)
		} else if f, ok := strings.CutPrefix(line, "[FILE] "); ok {
			names = append(names, f)
		}
	}
	if len(dirs)+len(names) == 0 {
		return t.reportText(e)
	}
	var b strings.Builder
	fmt.Fprintf(&b, t.say("### In %s\n\n%s and %s.\n\n", "### %s 里\n\n%s，%s。\n\n"), inline(firstOf(e.arg("path"), ".")),
		t.count(len(dirs), "folder", "个文件夹"), t.count(len(names), "file", "个文件"))
	for _, d := range dirs[:min(len(dirs), 12)] {
		fmt.Fprintf(&b, "- %s\n", inline(strings.TrimSuffix(d, "/")+"/"))
	}
	t.more(&b, len(dirs)-12)
	if len(names) > 0 {
		b.WriteString("\n" + t.kinds(names))
	}
	return b.String()
}

func (t turn) reportFound(e exchange) string {
	found := matches(e.result)
	var b strings.Builder
	fmt.Fprintf(&b, "### %s\n\n", inline(firstOf(e.arg("what"), "glob")))
	if len(found) == 0 {
		fmt.Fprintf(&b, t.say("No file matches. Patterns cross folders with %s, and what `.gitignore` excludes is left out.\n", "没有匹配的文件。%s 可以跨文件夹匹配；`.gitignore` 排除的文件不算。\n"), inline("**/"))
		return b.String()
	}
	fmt.Fprintf(&b, t.say("%s match.\n\n", "匹配到 %s。\n\n"), t.count(len(found), "file", "个文件"))
	for _, f := range found[:min(len(found), 20)] {
		fmt.Fprintf(&b, "- %s\n", inline(f))
	}
	t.more(&b, len(found)-20)
	if len(found) > 5 {
		b.WriteString("\n" + t.kinds(found))
	}
	return b.String()
}

// kinds is a table of file names by ending.
func (t turn) kinds(names []string) string {
	byExt := map[string][]string{}
	for _, n := range names {
		ext := strings.ToLower(path.Ext(n))
		byExt[ext] = append(byExt[ext], n)
	}
	exts := slices.SortedFunc(maps.Keys(byExt), func(a, b string) int {
		return cmp.Or(len(byExt[b])-len(byExt[a]), strings.Compare(a, b))
	})
	var b strings.Builder
	b.WriteString(t.say("| Kind | Files | For example |\n| --- | ---: | --- |\n", "| 类型 | 数量 | 例如 |\n| --- | ---: | --- |\n"))
	for _, x := range exts[:min(len(exts), 10)] {
		kind := inCell(x)
		if x == "" {
			kind = t.say("no ending", "无扩展名")
		}
		fmt.Fprintf(&b, "| %s | %d | %s |\n", kind, len(byExt[x]), inCell(byExt[x][0]))
	}
	return b.String()
}

var matchLine = lazyregexp.New(`^(\d+):(.*)$`)

func (t turn) reportMatches(e exchange) string {
	type hits struct {
		file  string
		lines []string
	}
	var found []hits
	total := 0
	for line := range strings.Lines(e.result) {
		line = strings.TrimRight(line, "\r\n")
		switch m := matchLine.FindStringSubmatch(line); {
		case m != nil && len(found) > 0:
			total++
			found[len(found)-1].lines = append(found[len(found)-1].lines, m[1]+"\x00"+m[2])
		case m == nil && line != "" && line[0] != '[' && !strings.HasPrefix(line, " ") && !contextLine.MatchString(line):
			found = append(found, hits{file: line})
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "### %s\n\n", inline(firstOf(e.arg("what"), "grep")))
	if total == 0 {
		b.WriteString(strings.TrimSpace(e.result) + "\n")
		return b.String()
	}
	found = slices.DeleteFunc(found, func(h hits) bool { return len(h.lines) == 0 })
	fmt.Fprintf(&b, t.say("%s in %s.\n\n", "%s，%s。\n\n"), t.count(total, "matching line", "行匹配"), t.count(len(found), "file", "个文件"))
	slices.SortStableFunc(found, func(a, b hits) int { return len(b.lines) - len(a.lines) })
	b.WriteString(t.say("| File | Matches | First line |\n| --- | ---: | --- |\n", "| 文件 | 匹配 | 首行 |\n| --- | ---: | --- |\n"))
	for _, h := range found[:min(len(found), 10)] {
		no, text, _ := strings.Cut(h.lines[0], "\x00")
		fmt.Fprintf(&b, "| %s | %d | %s: %s |\n", inCell(h.file), len(h.lines), no, inCell(clip.Line(strings.TrimSpace(text), 80)))
	}
	t.more(&b, len(found)-10)
	return b.String()
}

var contextLine = lazyregexp.New(`^\d+-|^--$`)

// reportText is for tools that nothing is known of.
func (t turn) reportText(e exchange) string {
	lines := strings.Split(strings.TrimRight(e.result, "\n"), "\n")
	var b strings.Builder
	fmt.Fprintf(&b, t.say("### %s\n\n%s, %s.\n\n", "### %s\n\n%s，%s。\n\n"), inline(e.name), t.count(len(lines), "line", "行"), size(len(e.result)))
	b.WriteString(fence("", clipLines(lines, 40)))
	t.more(&b, len(lines)-40)
	return b.String()
}

// aboutAttached describes files that came with the prompt.
func (t turn) aboutAttached(list []file) string {
	var b strings.Builder
	fmt.Fprintf(&b, t.say("%s came with the prompt", "提示附带了 %s"), t.count(len(list), "file", "个文件"))
	if n := len(t.attached.Rules); n > 0 {
		fmt.Fprintf(&b, t.say(", and %s", "，以及 %s"), t.count(n, "rule", "条规则"))
	}
	b.WriteString(t.say(".\n\n", "。\n\n"))
	for _, f := range list[:min(len(list), 8)] {
		b.WriteString(t.describe(f.name, f.content) + "\n")
	}
	t.more(&b, len(list)-8)
	return b.String()
}

// note is the line that read_file adds below the text.
var note = lazyregexp.New(`(?s)\n\n\[(Lines? \d[^\n]*)\]$`)

// describe gives the figures of a text and its notable parts.
func (t turn) describe(name, text string) string {
	remark := ""
	if m := note.FindStringSubmatchIndex(text); m != nil {
		text, remark = text[:m[0]], text[m[2]:m[3]]
	}
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	longest := 0
	for _, l := range lines {
		longest = max(longest, utf8.RuneCountInString(l))
	}
	base, _, _ := strings.Cut(name, ":")
	ext := strings.ToLower(path.Ext(base))
	var b strings.Builder
	fmt.Fprintf(&b, t.say("### %s\n\n| Lines | Words | Size | Longest line |\n", "### %s\n\n| 行 | 词 | 大小 | 最长的行 |\n"), inline(name))
	fmt.Fprintf(&b, "| ---: | ---: | ---: | ---: |\n| %d | %d | %s | %d |\n\n", len(lines), len(strings.Fields(text)), size(len(text)), longest)
	if remark != "" {
		b.WriteString(remark + "\n\n")
	}
	switch ext {
	case ".csv", ".tsv":
		b.WriteString(t.columns(lines, ext))
		return b.String()
	}
	found, what := standOut(ext, lines)
	if len(found) > 0 {
		fmt.Fprintf(&b, "%s:\n\n", t.count(len(found), what, map[string]string{"heading": "个标题", "declaration": "个声明"}[what]))
		for _, f := range found[:min(len(found), 15)] {
			b.WriteString(f + "\n")
		}
		t.more(&b, len(found)-15)
		b.WriteByte('\n')
	}
	if what == "heading" && len(found) > 0 {
		return b.String()
	}
	fmt.Fprintf(&b, t.say("It begins:\n\n%s", "开头：\n\n%s"), fence(strings.TrimPrefix(ext, "."), clipLines(lines, 12)))
	return b.String()
}

var (
	headings     = lazyregexp.New(`^(#{1,6})\s+(.+?)\s*#*$`)
	declarations = lazyregexp.New(`^\s*(?:export\s+|public\s+|private\s+|static\s+|async\s+|pub\s+|default\s+)*(?:func|function|def|class|type|interface|struct|enum|trait|impl|fn)\s+(\([^)]*\)\s*)?([\p{L}_$][\p{L}\p{N}_$]*)`)
)

// standOut finds headings in prose and declarations in code, as list items
// with the number of the line.
func standOut(ext string, lines []string) (found []string, what string) {
	inCode := false
	if ext == ".md" || ext == ".markdown" || ext == ".txt" || ext == "" {
		for i, l := range lines {
			if strings.HasPrefix(strings.TrimSpace(l), "```") {
				inCode = !inCode
			}
			if m := headings.FindStringSubmatch(l); m != nil && !inCode {
				found = append(found, fmt.Sprintf("%s- %s (%d)", strings.Repeat("  ", len(m[1])-1), inline(m[2]), i+1))
			}
		}
		return found, "heading"
	}
	for i, l := range lines {
		if m := declarations.FindStringSubmatch(l); m != nil {
			found = append(found, fmt.Sprintf("- %s (%d)", inline(m[2]), i+1))
		}
	}
	return found, "declaration"
}

// columns shows a table of data: its columns and first rows.
func (t turn) columns(lines []string, ext string) string {
	sep := ","
	if ext == ".tsv" {
		sep = "\t"
	} else if strings.Count(lines[0], ";") > strings.Count(lines[0], ",") {
		sep = ";"
	}
	head := strings.Split(lines[0], sep)
	head = head[:min(len(head), 8)]
	var b strings.Builder
	fmt.Fprintf(&b, t.say("%s below a head of %s. The first rows:\n\n", "%s数据，%s。前几行：\n\n"), t.count(len(lines)-1, "row", "行"), t.count(len(head), "column", "列"))
	row := func(cells []string) {
		b.WriteByte('|')
		for i := range head {
			cell := " "
			if i < len(cells) && strings.TrimSpace(cells[i]) != "" {
				cell = " " + inCell(clip.Line(strings.TrimSpace(cells[i]), 40)) + " "
			}
			b.WriteString(cell + "|")
		}
		b.WriteByte('\n')
	}
	row(head)
	b.WriteString("|" + strings.Repeat(" --- |", len(head)) + "\n")
	for _, l := range lines[1:min(len(lines), 6)] {
		row(strings.Split(l, sep))
	}
	return b.String()
}

func (t turn) more(b *strings.Builder, n int) {
	if n > 0 {
		fmt.Fprintf(b, t.say("\n... and %d more.\n", "\n……还有 %d 个。\n"), n)
	}
}

// count is a number with its noun.
func (t turn) count(n int, en, zh string) string {
	switch {
	case t.zh:
		return fmt.Sprint(n, " ", zh)
	case n == 1:
		return "1 " + en
	}
	return fmt.Sprint(n, " ", en, "s")
}

func size(n int) string {
	switch {
	case n < 1000:
		return fmt.Sprint(n, " B")
	case n < 1000*1000:
		return fmt.Sprintf("%.1f kB", float64(n)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

func clipLines(lines []string, n int) string {
	out := make([]string, 0, n)
	for _, l := range lines[:min(len(lines), n)] {
		out = append(out, clip.Line(l, 160))
	}
	return strings.Join(out, "\n")
}
