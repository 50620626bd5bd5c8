package workspace_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mutsumi/backend/approval"
	"mutsumi/backend/chat"
	"mutsumi/backend/preview"
	"mutsumi/backend/runner"
	"mutsumi/backend/settings"
	"mutsumi/backend/summaries"
)

const skillHead = "---\nname: %s\ndescription: %s\nallowed-tools: shell write_file\n---\n"

// own puts a file into the person's own skills.
func (d *desk) own(path, text string) string {
	d.t.Helper()
	file := filepath.Join(d.config, "skills", path)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		d.t.Fatal(err)
	}
	return file
}

// system returns the system message of the next request.
func (d *desk) system(path string) string {
	d.t.Helper()
	var b strings.Builder
	for _, m := range d.preview(path, "", "x").Messages {
		if m.Role == "system" {
			for _, s := range m.Segments {
				b.WriteString(s.Text)
			}
		}
	}
	return b.String()
}

// Names and descriptions are offered at the end of the system message, always in the same bytes.
// The folder's skills are offered once it is trusted, except those that changed since. A switch of
// the notebook removes one.
func TestWhatSkillsAreOffered(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\ntext done")
	path := d.create("Agent")
	if s := d.system(path); strings.Contains(s, "# Skills") || part(d.context(path, "", "x").Tools, "use_skill").ID != "" {
		t.Fatalf("without a skill: %s", s)
	}
	d.own("zip/SKILL.md", fmt.Sprintf(skillHead, "zip", "Packs files. <b>"))
	d.write(".claude/skills/pdf/SKILL.md", fmt.Sprintf(skillHead, "pdf", "Fills forms."))
	d.write(".claude/skills/pdf/run.py", "print(1)")
	d.write(".agents/skills/bad/SKILL.md", "nothing")

	if s := d.system(path); strings.Contains(s, "Fills forms") || !strings.HasSuffix(s, "\n\n- zip: Packs files. <b>\n") {
		t.Errorf("before the folder is trusted: %s", s)
	}
	if p := part(d.context(path, "", "x").Skills, "pdf"); p.State != "inert" || p.ID != "skill:pdf" {
		t.Errorf("got %+v", p)
	}
	if err := d.TrustFolder(true); err != nil {
		t.Fatal(err)
	}
	const both = "\n\n- pdf: Fills forms.\n- zip: Packs files. <b>\n"
	first := d.system(path)
	if !strings.HasSuffix(first, both) || strings.Contains(first, "bad:") || strings.Contains(first, "allowed-tools") || strings.Contains(first, "write_file") {
		t.Errorf("trusted: %s", first)
	}
	v := d.context(path, "", "x")
	if p := part(v.Skills, "zip"); p.Tokens == 0 || len(v.Skills) != 2 || part(v.Tools, "use_skill").Tokens == 0 {
		t.Errorf("skills %+v", v.Skills)
	}
	if i := slices.IndexFunc(v.Kinds, func(k preview.KindTokens) bool { return k.Kind == "skills" }); v.Kinds[i].Tokens != part(v.Skills, "pdf").Tokens+part(v.Skills, "zip").Tokens {
		t.Errorf("the meter has %+v", v.Kinds)
	}
	if i := slices.IndexFunc(v.Warnings, func(w preview.Warning) bool { return strings.Contains(w.Text, "no front matter") }); i < 0 || v.Warnings[i].File != ".agents/skills/bad/SKILL.md" {
		t.Errorf("warnings %+v", v.Warnings)
	}

	if err := d.SwitchContext(path, "skill:pdf", false); err != nil {
		t.Fatal(err)
	}
	if s := d.system(path); strings.Contains(s, "pdf") || part(d.context(path, "", "x").Skills, "pdf").State != "off" {
		t.Errorf("switched off: %s", s)
	}
	if err := d.SwitchContext(path, "skill:pdf", true); err != nil {
		t.Fatal(err)
	}
	if s := d.system(path); s != first {
		t.Errorf("other bytes:\n%s\n%s", s, first)
	}

	d.write(".claude/skills/pdf/run.py", "print(2)") // files beside the SKILL.md belong to the skill
	if s := d.system(path); strings.Contains(s, "pdf") || part(d.context(path, "", "x").Skills, "pdf").State != "inert" {
		t.Errorf("changed since: %s", s)
	}
	d.write(".claude/skills/pdf/run.py", "print(1)")
	d.write(".claude/skills/pdf/more.md", "new")
	if s := d.system(path); strings.Contains(s, "pdf") {
		t.Errorf("with a file added since: %s", s)
	}
	// A kind whose list of tools lacks this one is offered no skill.
	d.put(".mutsumi/agents/narrow.md", "---\nname: narrow\ndescription: x\ntools: [ls]\n---\n")
	if s := d.system(d.of("narrow", "Narrow")); strings.Contains(s, "zip") {
		t.Errorf("a kind without the tool: %s", s)
	}
	d.run(path, d.prompt(path, "x"), runner.RunCell) // the request matches the preview
	d.untilFinished(1)
	if messages := d.server.Requests()[0].Messages; messages[0].Content.String() != d.system(path) {
		t.Errorf("sent %s", messages[0].Content.String())
	}
}

// A skill's body is read when it is used, with its references resolved. From then on, files of the
// person's own skill can be read, and nothing beside them. A command that the skill asks for needs
// approval, whatever allowed-tools says.
func TestASkillIsUsed(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	config := filepath.Join(filepath.Dir(folder), "002") // the desk's next temporary folder
	at := func(file string) string { return filepath.Join(config, "skills", filepath.FromSlash(file)) }
	read := func(file string) string { return fmt.Sprintf("tool read_file {\"uri\":%q}\n", at(file)) }
	script, secret := "zip/scripts/run.sh", "other/SKILL.md"
	d := open(t, folder, "answer\n"+read(script)+"answer\ntool use_skill {\"name\":\"none\"}\ntool use_skill {\"name\":\"zip\"}\nanswer\n"+read(script)+read(secret)+
		"tool shell {\"command\":\"touch made\"}\nanswer\ntext Done.\nanswer\n"+read(script)+"answer\ntext Again.")
	if d.config != config {
		t.Fatalf("the settings are in %s", d.config)
	}
	d.own("zip/scripts/run.sh", "echo packed")
	d.own("other/SKILL.md", fmt.Sprintf(skillHead, "other", "Another.")+"SECRET")
	d.own("zip/SKILL.md", fmt.Sprintf(skillHead, "zip", "Packs files.")+"Pack with {{HOW}}. See @[notes.md].\n@[shell{\"command\":\"touch made\"}] @[use_skill{\"name\":\"zip\"}]")
	d.write("notes.md", "NOTES OF THE FOLDER")
	path := d.create("Agent")
	if err := d.SetMacro(path, "HOW", "care"); err != nil {
		t.Fatal(err)
	}
	cell := d.prompt(path, "pack")
	d.run(path, cell, runner.RunCell)
	if r := d.asks(); r.Tool != "shell" {
		t.Fatalf("asked for %+v", r)
	} else if err := d.ResolveApproval(r.ID, approval.Decision{}); err != nil {
		t.Fatal(err)
	}
	d.untilFinished(1)
	got := d.answer(path, cell)
	for _, want := range []string{"is outside the folders", "There are: other, zip", "# Skill: zip\n\nPack with care.", "NOTES OF THE FOLDER", "may only read", "a skill cannot hold another", "- scripts/run.sh", "Commands may not reach it", "tool: echo packed"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
	if strings.Contains(got, "SECRET") || strings.Contains(got, "allowed-tools") || strings.Count(got, "is outside the folders") != 2 {
		t.Errorf("got %s", got)
	}
	if _, err := os.Stat(filepath.Join(d.folder, "made")); err == nil {
		t.Error("a command of a skill ran without approval")
	}
	next := d.prompt(path, "once more") // the conversation shows that the skill was used
	d.run(path, next, runner.RunCell)
	d.untilFinished(1)
	if got := d.answer(path, next); !strings.Contains(got, "tool: echo packed") {
		t.Errorf("in the next cell: %s", got)
	}
}

// A skill that changes while a turn works is not used until the person trusts it as it is, and
// the agent learns why; its sent text stays as it is until the turn ends.
func TestASkillThatChangesInATurn(t *testing.T) {
	t.Parallel()
	use, ask := "tool use_skill {\"name\":\"pdf\"}\n", "tool ask_user {\"question\":\"Go on?\"}\n"
	d := open(t, "", "answer\n"+ask+"answer\n"+use+"answer when \"it came or changed since the person trusted this folder\"\n"+ask+"answer\n"+use+"answer when \"SECOND BODY\"\ntext Done.")
	write := func(body string) {
		d.write(".claude/skills/pdf/SKILL.md", fmt.Sprintf(skillHead, "pdf", "Fills "+body)+body)
	}
	write("FIRST BODY")
	if err := d.TrustFolder(true); err != nil {
		t.Fatal(err)
	}
	path := d.create("Agent")
	cell := d.prompt(path, "fill")
	d.run(path, cell, runner.RunCell)
	for i := range 2 {
		r := d.asks()
		if i == 0 {
			write("SECOND BODY")
		} else if err := d.TrustFolder(true); err != nil {
			t.Fatal(err)
		}
		if err := d.ResolveApproval(r.ID, approval.Decision{Allow: true, Answer: "yes"}); err != nil {
			t.Fatal(err)
		}
	}
	d.untilFinished(1)
	if got := d.answer(path, cell); !strings.HasSuffix(got, "Done.") {
		t.Errorf("got %s", got)
	}
	system := ""
	for i, r := range d.server.Requests() {
		if now := r.Messages[0].Content.String(); system == "" {
			system = now
		} else if now != system || !strings.Contains(now, "FIRST BODY") {
			t.Errorf("request %d has another system message: %s", i, now)
		}
	}
}

// An agent that may touch only part of the folder reads the folder's skill, and no other agent's.
func TestASkillOfTheFolderOutsideWhatTheAgentMayTouch(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	d := open(t, folder, "answer\ntool use_skill {\"name\":\"pdf\"}\nanswer\n"+
		fmt.Sprintf("tool read_file {\"uri\":%q}\n", filepath.Join(folder, ".mutsumi/skills/pdf/ref.md"))+"answer\ntext ok")
	d.put("src/a.txt", "a")
	d.put(".mutsumi/skills/pdf/SKILL.md", fmt.Sprintf(skillHead, "pdf", "Fills forms.")+"BODY")
	d.put(".mutsumi/skills/pdf/ref.md", "REFERENCE")
	path := d.create("Agent")
	d.only(path, "src")
	cell := d.prompt(path, "fill")
	d.run(path, cell, runner.RunCell)
	d.untilFinished(1)
	if got := d.answer(path, cell); !strings.Contains(got, "BODY") || !strings.Contains(got, "tool: REFERENCE") {
		t.Errorf("got %s", got)
	}
}

// If a summary covers the message of a skill, its instructions are not lost: from then on they are
// among the rules, as the file has them now.
func TestASkillThatWasReadSurvivesCompaction(t *testing.T) {
	t.Parallel()
	d := openSummarised(t, "answer when \"### Person [\"\ntext \"## Goal\\nShort.\"", 0)
	d.put(".mutsumi/skills/pdf/SKILL.md", fmt.Sprintf(skillHead, "pdf", "Fills forms.")+"FIRST INSTRUCTIONS")
	call := `{"role":"assistant","content":null,"tool_calls":[{"id":"x","type":"function","function":{"name":"use_skill","arguments":"{skill: ' pdf '}"}}]}` // as use_skill reads it
	d.lasting("Long", 6, `{"role":"user","content":"Fill"}`, call, `{"role":"tool","tool_call_id":"x","name":"use_skill","content":"FIRST INSTRUCTIONS"}`,
		fmt.Sprintf(`{"role":"assistant","content":%q}`, sayings), `{"role":"user","content":"And now?"}`, `{"role":"assistant","content":"Well."}`)
	rules := func() string {
		for _, m := range d.preview("Long.mtm", "", "x").Messages {
			for _, s := range m.Segments {
				if s.Kind == "skill" && s.Source == "skill pdf" {
					return m.Role + " " + s.Text
				}
			}
		}
		return ""
	}
	if got := rules(); got != "" {
		t.Errorf("before the summary: %s", got)
	}
	d.compact("Long.mtm", summaries.Wanted{})
	if got := rules(); got != `user {"name":"skill pdf","content":"FIRST INSTRUCTIONS"}` {
		t.Errorf("after it: %s", got)
	}
	d.put(".mutsumi/skills/pdf/SKILL.md", fmt.Sprintf(skillHead, "pdf", "Fills forms.")+"SECOND INSTRUCTIONS")
	if got := rules(); !strings.Contains(got, "SECOND") {
		t.Errorf("as it is now: %s", got)
	}
	if err := d.SwitchContext("Long.mtm", "skill:pdf", false); err != nil {
		t.Fatal(err)
	}
	if got := rules(); got != "" {
		t.Errorf("switched off: %s", got)
	}
}

// When old results are cut because no summary is possible, a skill's text stays complete.
func TestASkillIsNotCut(t *testing.T) {
	t.Parallel()
	d := openModel(t, "", "answer always\ntext ok", settings.ModelView{ID: "scripted", Tools: true, ContextTokens: 9_000}, nil)
	if err := d.ChangePreferences(settings.Preferences{}, settings.Preferences{Compact: settings.CompactAsk}); err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("Do this with care and then that. ", 300)
	var more []string
	for i, name := range []string{"use_skill", "read_file", "read_file"} {
		more = append(more,
			fmt.Sprintf(`{"role":"assistant","content":null,"tool_calls":[{"id":"x%d","type":"function","function":{"name":%q,"arguments":"{\"name\":\"pdf\"}"}}]}`, i, name),
			fmt.Sprintf(`{"role":"tool","tool_call_id":"x%d","name":%q,"content":%q}`, i, name, long))
	}
	d.lasting("Long", 1, append(append([]string{`{"role":"user","content":"Read"}`}, more...), `{"role":"assistant","content":"Read."}`)...)
	cell := d.prompt("Long.mtm", "go on")
	d.run("Long.mtm", cell, runner.RunCell)
	d.untilFinished(1)
	var kept []int
	for _, m := range d.server.Requests()[0].Messages {
		if m.Role == chat.Tool {
			kept = append(kept, len(m.Content.String()))
		}
	}
	if len(kept) != 3 || kept[0] != len(long) || kept[1] >= len(long) {
		t.Errorf("results of %v bytes, the skill has %d", kept, len(long))
	}
}
