package compaction

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"mutsumi/backend/chat"
	"mutsumi/backend/cost"
)

func TestTrigger(t *testing.T) {
	for _, c := range []struct {
		limits Limits
		want   int
	}{
		{Limits{}, 0},
		{Limits{Window: 128_000}, 102_400},
		{Limits{Window: 128_000, Answer: 32_000, Reserve: 8_000}, 88_000},
		{Limits{Window: 128_000, Cap: 50_000}, 50_000},
		{Limits{Cap: 50_000}, 50_000},
		{Limits{Window: 1000, Answer: 4000}, 1},
	} {
		if got := c.limits.Trigger(); got != c.want {
			t.Errorf("%+v: %d, want %d", c.limits, got, c.want)
		}
	}
}

func cells(tokens ...int) (all []Cell) {
	for i, n := range tokens {
		all = append(all, Cell{ID: fmt.Sprint(i + 1), Tokens: n})
	}
	return all
}

func TestPlanFor(t *testing.T) {
	pinned := cells(100, 100, 100, 100)
	pinned[1].Pinned = true
	again := cells(50, 900)
	again[0].Summary = true
	for name, c := range map[string]struct {
		cells   []Cell
		trigger int
		covered string
		stays   int
	}{
		"the last fifth stays":              {cells(100, 100, 100, 100, 100), 1000, "1 2 3", 200 + 50},
		"the last cell stays, however long": {cells(100, 100, 500), 1000, "1 2", 500 + 50},
		"one cell alone":                    {cells(500), 1000, "", 500 + 50},
		"nothing":                           {nil, 1000, "", 50},
		"what is pinned stays":              {pinned, 1000, "1", 300 + 50},
		"by hand, without a limit":          {cells(1, 1, 1), 0, "1 2", 1 + 50},
		"a summary alone is not covered":    {again, 10_000, "", 950 + 50},
	} {
		p, err := PlanFor(c.cells, []Fixed{{"rules", 30}, {"tools", 20}}, c.trigger)
		if err != nil || strings.Join(p.Covered, " ") != c.covered || p.Stays != c.stays {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
	}
}

// If the part that no summary covers is too large by itself, the error names its parts, the largest
// first.
func TestPlanForNamesWhatIsTooLarge(t *testing.T) {
	_, err := PlanFor(cells(100, 100), []Fixed{{"rules", 300}, {"tools", 900}}, 1000)
	var large *TooLarge
	if !errors.As(err, &large) || large.Parts[0].Name != "tools" || !strings.Contains(err.Error(), "tools 900, rules 300") {
		t.Errorf("%v", err)
	}
}

func TestTooLong(t *testing.T) {
	for _, c := range []struct {
		summary, before int
		long            bool
	}{{600, 1000, false}, {601, 1000, true}, {16_000, 100_000, false}, {16_001, 100_000, true}, {0, 0, false}} {
		if got := TooLong(c.summary, c.before) != ""; got != c.long {
			t.Errorf("%+v", c)
		}
	}
}

func TestBill(t *testing.T) {
	price := cost.Price{Input: 1, Cached: 0.1, Output: 4}
	v := Bill(61_000, 2_000, 18_000, cost.FromDollars(0.02), price, true)
	if v.Rewritten != 20_000 || v.Once != cost.FromDollars(0.02+0.018) || v.EachTurn != cost.FromDollars(0.0059) || v.PaysBack != 7 {
		t.Errorf("%+v", v)
	}
	if v.Saved(6) >= 0 || v.Saved(7) < 0 {
		t.Errorf("saved %v and %v", v.Saved(6), v.Saved(7))
	}
	if v := Bill(61_000, 2_000, 18_000, 0, price, false); v.Once != 0 || v.Rewritten != 0 || v.EachTurn != cost.FromDollars(0.059) || v.PaysBack != 0 {
		t.Errorf("without a cache: %+v", v)
	}
	if v := Bill(1000, 2000, 0, cost.FromDollars(1), price, true); v.PaysBack != 0 {
		t.Errorf("a summary that grew: %+v", v)
	}
	if v := Bill(1000, 100, 50, 0, cost.Price{}, true); v != (Invoice{Before: 1000, After: 100, Rewritten: 150}) {
		t.Errorf("without a price: %+v", v)
	}
}

func TestParseReadsWhatModelsWrite(t *testing.T) {
	for name, text := range map[string]string{
		"as asked":   "## Goal\nShip it.\n\n## Next\n- [ ] Test",
		"in a fence": "```markdown\n## Goal\nShip it.\n\n## Next\n- [ ] Test\n```",
		"numbered":   "# 1. GOAL:\nShip it.\n### 5) next\n- [ ] Test",
		"in bold":    "## **Goal**\nShip it.\n## *Next*\n- [ ] Test",
		"in another order, with the person's words": "## Next\n- [ ] Test\n## Your words\nmade up\n## Goal\nShip it.",
		"without the first heading":                 "Ship it.\n## Next\n- [ ] Test",
		"twice":                                     "## Goal\nShip it.\n## Next\n## Next\n- [ ] Test",
	} {
		if got := Render(Parse(text)); got != "## Goal\nShip it.\n\n## Next\n- [ ] Test" {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got := Render(Parse("## Goal\nx\n```sh\n# not a heading\n```\n## 目标以外\ny")); got != "## Goal\nx\n```sh\n# not a heading\n```\n\n## 目标以外\ny" {
		t.Errorf("%q", got)
	}
}

func TestSections(t *testing.T) {
	summary := Render([]Section{{"Goal", "Ship it."}, {"Next", "- [ ] Test\n```\n## no heading\n```"}, {"Own", "x"}})
	if got := SectionOf(summary, "Next"); got != "- [ ] Test\n```\n## no heading\n```" {
		t.Errorf("%q", got)
	}
	if got := SectionOf(WithSection(summary, "Goal", "Ship."), "Goal"); got != "Ship." {
		t.Errorf("%q", got)
	}
	want := "## Goal\nShip it.\n\n## State\nGreen.\n\n## Next\n- [ ] Test\n```\n## no heading\n```\n\n## Own\nx"
	if got := WithSection(summary, "State", "Green."); got != want {
		t.Errorf("%q", got)
	}
	if got := WithSection("", SectionPinned, "- a"); got != "## Pinned\n- a" {
		t.Errorf("%q", got)
	}
}

// The content of an earlier summary carries over: its goal, decisions, files, open entries and the
// person's words.
func TestASummaryOfASummary(t *testing.T) {
	earlier := said(chat.User, "s", Render([]Section{{"Goal", "Fast."}, {"Decisions", "- TTLs are durations."}, {"Files", "- `a.go` (changed)"}, {"Next", "- [ ] Measure"}, {SectionWords, "> Make it fast."}}))
	earlier.Summary = true
	covered := []Message{earlier, said(chat.User, "5", "Go on."), said(chat.Assistant, "5", "Done.\n- [x] Measure")}
	want := "## Goal\nFast.\n\n## Decisions\n- TTLs are durations.\n- Done.\n\n## Files\n- `a.go` (changed)\n\n## State\nDone.\n- [x] Measure"
	if got := Render(Extract(covered)); got != want {
		t.Errorf("got\n%s", got)
	}
	if got := WordsOf(covered, 1000, func(s string) int { return len(s) }).Text; got != "> Make it fast.\n\n> Go on." {
		t.Errorf("got %q", got)
	}
	if got := listed(Lost(covered, "nothing")); !slices.Equal(got, []string{"words Make it fast. [s]", "words Go on. [5]", "path a.go [s]"}) {
		t.Errorf("got %q", got)
	}
	if got := Transcript(covered, 1000, func(s string) int { return len(s) / 4 })[0]; !strings.HasPrefix(got, "### Summary of what came before\n## Goal\nFast.") {
		t.Errorf("got %q", got)
	}
}

func TestExtractClaimsNothingElse(t *testing.T) {
	call := chat.ToolCall{ID: "a"}
	call.Function.Name, call.Function.Arguments = "edit_file", `{"uri":"a.go","old":"x","new":"y"}`
	covered := []Message{
		said(chat.User, "1", "Make it fast."),
		said(chat.Assistant, "1", "The cache is the cause. It misses.\n- [ ] Measure again\n- [ ] Tell Ann"),
		{Message: chat.Message{Role: chat.Assistant, ToolCalls: []chat.ToolCall{call}}, Cell: "1"},
		said(chat.User, "2", "Go on.\nAnd test."),
		said(chat.Assistant, "2", "All tests pass.\n- [x] Tell Ann"),
	}
	want := "## Goal\nMake it fast.\n\n## Decisions\n- The cache is the cause.\n- All tests pass.\n\n## Files\n- `a.go` (changed)\n\n## State\nAll tests pass.\n- [x] Tell Ann\n\n## Next\n- [ ] Measure again"
	if got := Render(Extract(covered)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	count := func(s string) int { return len(s) }
	if got := WordsOf(covered, 100, count).Text; got != "> Make it fast.\n\n> Go on.\n> And test." {
		t.Errorf("got %q", got)
	}
	if got := WordsOf(covered, 20, count).Text; got != "(1 earlier prompts are left out)\n\n> Go on.\n> And test." {
		t.Errorf("got %q", got)
	}
	if got := Render(Extract(nil)); got != "" {
		t.Errorf("of nothing: %q", got)
	}
}

func TestShorten(t *testing.T) {
	long := strings.Repeat("你好", 2000)
	got := Shorten(long, "results/a.txt")
	if len(got) > headBytes+tailBytes+200 || !strings.HasPrefix(got, "你好") || !strings.HasSuffix(got, "你好") || !strings.Contains(got, "bytes are left out here. The whole is in results/a.txt.") {
		t.Errorf("%d bytes: %.80q", len(got), got)
	}
	if strings.Contains(got, "�") || !strings.Contains(strings.ToValidUTF8(got, "?"), "left out") || strings.ToValidUTF8(got, "") != got {
		t.Error("a character is cut")
	}
	for _, short := range []string{"", "short", strings.Repeat("x", headBytes+tailBytes+20)} {
		if Shorten(short, "a") != short {
			t.Errorf("%d bytes were cut", len(short))
		}
	}
}

func TestOldResults(t *testing.T) {
	var all []Message
	for i, role := range []chat.Role{chat.User, chat.Tool, chat.Assistant, chat.Tool, chat.Tool} {
		m := said(role, "1", "x")
		m.Tokens = 100 * (i + 1)
		all = append(all, m)
	}
	for keep, want := range map[int][]int{0: {1, 3, 4}, 499: {1, 3, 4}, 500: {1, 3}, 900: {1}, 2000: nil} {
		if got := OldResults(all, keep); !slices.Equal(got, want) {
			t.Errorf("%d: %v, want %v", keep, got, want)
		}
	}
}

// Each piece of a transcript fits, only results and entries that are too long for a piece are cut,
// and a result of 5 MB is no problem.
func TestTranscriptFits(t *testing.T) {
	count := func(s string) int { return len(s) / 4 }
	covered := []Message{
		said(chat.User, "1", "the prompt"),
		said(chat.Assistant, "1", strings.Repeat("answer ", 300)),
		said(chat.Tool, "1", strings.Repeat("line\n", 1<<20)),
		said(chat.User, "2", strings.Repeat("词", 40_000)),
		said(chat.System, "2", "never"),
	}
	image := chat.Message{Role: chat.User, Content: chat.Content{Parts: []chat.Part{{Type: chat.PartText, Text: "look"}, {Type: chat.PartImage, ImageURL: &chat.ImageURL{URL: "data:" + strings.Repeat("x", 9000)}}}}}
	covered = append(covered, Message{Message: image, Cell: "3"})
	pieces := Transcript(covered, 1000, count)
	whole := strings.Join(pieces, "")
	for i, p := range pieces {
		if n := count(p); n > 1000 {
			t.Errorf("piece %d has %d tokens", i, n)
		}
	}
	for _, want := range []string{"### Person [1]\nthe prompt", strings.Repeat("answer ", 299), "are left out here", "[...]", "look\n[an image]"} {
		if !strings.Contains(whole, want) {
			t.Errorf("lacks %.40q", want)
		}
	}
	if strings.Contains(whole, "never") || len(pieces) < 2 || strings.ToValidUTF8(whole, "") != whole {
		t.Errorf("%d pieces", len(pieces))
	}
}

// A text of megabytes in one section is read in the time of its length.
func TestLongSectionsAreSplit(t *testing.T) {
	long := strings.Repeat("a line that says little\n", 400_000)
	sections := Split("## Goal\n" + long + "## Next\n- [ ] go")
	if len(sections) != 2 || len(sections[0].Text) != len(long)-1 || sections[1].Text != "- [ ] go" {
		t.Errorf("%d sections", len(sections))
	}
	if parsed := Parse("## Goal\n" + long); len(parsed) != 1 || len(parsed[0].Text) != len(long)-1 {
		t.Errorf("%d sections", len(parsed))
	}
}
