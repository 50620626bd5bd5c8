package page

import (
	"fmt"
	"slices"
	"testing"
)

// fakeView is a web view whose page answers if the test wants it to.
type fakeView struct {
	did     []string
	answers bool
	keeper  *Keeper
}

func (v *fakeView) Load()          { v.did = append(v.did, "load") }
func (v *fakeView) End()           { v.did = append(v.did, "end") }
func (v *fakeView) GiveUp(g Given) { v.did = append(v.did, "give up: "+g.Title) }
func (v *fakeView) Ask()           { v.did = append(v.did, "ask") }

// open returns a keeper of a page that is loading, and the causes that it reports.
func open() (*fakeView, *Keeper, *[]string) {
	v := &fakeView{answers: true}
	var failed []string
	v.keeper = New(v, func(c Cause, again bool) { failed = append(failed, fmt.Sprint(c, " ", again)) })
	return v, v.keeper, &failed
}

// beats lets n beats pass; in between, the page answers if it is to.
func (v *fakeView) beats(n int) {
	for range n {
		v.keeper.Beat(false)
		if v.answers {
			v.keeper.Answered()
		}
	}
}

// acts returns the calls of the view since the last time, without Ask.
func (v *fakeView) acts() []string {
	did := slices.DeleteFunc(v.did, func(s string) bool { return s == "ask" })
	v.did = nil
	return did
}

func want(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Fatalf("got %q, want %q", got, want)
	}
}

func TestAHealthyPageIsLeftAlone(t *testing.T) {
	v, k, failed := open()
	v.beats(2)
	if cause := k.Shows(); cause != "" {
		t.Errorf("it was not reloaded but reports %q", cause)
	}
	v.beats(500)
	want(t, v.acts())
	want(t, *failed)
}

func TestAPageWhoseProcessEndedIsLoadedAtOnce(t *testing.T) {
	for _, c := range []struct {
		memory bool
		cause  Cause
	}{{false, Ended}, {true, Memory}} {
		v, k, failed := open()
		k.Shows()
		k.Ended(c.memory)
		want(t, v.acts(), "load")
		if got := k.Shows(); got != c.cause {
			t.Errorf("got %q, want %q", got, c.cause)
		}
		if got := k.Shows(); got != "" {
			t.Errorf("the cause was reported twice: %q", got)
		}
		want(t, *failed, string(c.cause)+" true")
	}
}

func TestAPageThatDoesNotAnswerIsEndedAndLoaded(t *testing.T) {
	v, k, _ := open()
	k.Shows()
	v.beats(5)
	v.answers = false
	v.beats(patience) // the first beat asks
	want(t, v.acts())
	v.beats(1)
	want(t, v.acts(), "end")
	k.Ended(false)
	want(t, v.acts(), "load")
	if got := k.Shows(); got != Frozen {
		t.Errorf("got %q", got)
	}
}

func TestAPageThatIsOnlyLateStays(t *testing.T) {
	v, k, _ := open()
	k.Shows()
	for range 10 {
		v.answers = false
		v.beats(patience)
		k.Answered()
	}
	want(t, v.acts())
}

func TestAProcessThatEndsWithoutAWordIsReplaced(t *testing.T) {
	v, k, _ := open()
	k.Shows()
	v.answers = false
	v.beats(patience + 1)
	want(t, v.acts(), "end")
	v.beats(1)
	want(t, v.acts(), "load")
}

// The page cannot answer while a dialog of the system is open: it is not the page's fault.
func TestTimeWithADialogDoesNotCount(t *testing.T) {
	v, k, _ := open()
	k.Shows()
	v.answers = false
	v.beats(patience)
	for range 100 {
		k.Beat(true)
	}
	want(t, v.acts())
}

func TestAnEmptyPageIsLoadedOnceThenGivenUp(t *testing.T) {
	for _, answers := range []bool{true, false} {
		v, k, failed := open()
		v.answers = answers
		v.beats(firstPatience)
		want(t, v.acts())
		empty := func() {
			v.beats(1)
			if !answers {
				want(t, v.acts(), "end")
				k.Ended(false)
			}
		}
		empty()
		want(t, v.acts(), "load")
		v.beats(firstPatience)
		want(t, v.acts())
		empty()
		want(t, v.acts(), "give up: Could not show the window: its page stays empty")
		want(t, *failed, "empty true", "empty false")
	}
}

func TestAPageThatFailsAgainAndAgainIsGivenUp(t *testing.T) {
	v, k, failed := open()
	for range most - 1 {
		k.Shows()
		k.Ended(false)
		want(t, v.acts(), "load")
	}
	k.Shows()
	if k.GivenUp() {
		t.Error("given up too early")
	}
	k.Ended(false)
	want(t, v.acts(), "give up: Could not show the window: its page ended again and again")
	want(t, *failed, "ended true", "ended true", "ended false")
	v.beats(100)
	k.Ended(false)
	want(t, v.acts())
	if !k.GivenUp() {
		t.Error("not given up")
	}

	// The person wants it again: it starts from the beginning.
	k.Again()
	want(t, v.acts(), "load")
	if got := k.Shows(); got != Ended || k.GivenUp() {
		t.Errorf("got %q, given up: %v", got, k.GivenUp())
	}
	k.Ended(false)
	want(t, v.acts(), "load")
	k.Again() // a second press
	want(t, v.acts())
}

func TestAFailureNowAndThenIsNoLoop(t *testing.T) {
	v, k, _ := open()
	for range 10 {
		k.Shows()
		v.beats(healthy)
		v.acts()
		k.Ended(false)
		want(t, v.acts(), "load")
	}
}

func TestAWindowThatIsClosedIsLeftAlone(t *testing.T) {
	v, k, failed := open()
	k.Shows()
	k.Close()
	v.answers = false
	v.beats(100)
	k.Ended(false)
	k.Again()
	want(t, v.acts())
	want(t, *failed)
}
