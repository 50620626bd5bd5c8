package workspace_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/approval"
	"mutsumi/backend/desktop"
	"mutsumi/backend/desktop/bustest"
	"mutsumi/backend/runner"
	"mutsumi/backend/settings"
)

// shownWindow does for attention what the real window does, without a screen.
type shownWindow struct {
	raised chan struct{}
	titles chan string
}

func (w shownWindow) Raise()                { w.raised <- struct{}{} }
func (w shownWindow) SetTitle(title string) { w.titles <- title }

// Notifications is empty: on Linux notifications go over D-Bus.
func (shownWindow) Notifications() desktop.Sender { return desktop.Sender{} }

// away opens a workspace in a window that the person does not see, with a desktop of its own.
func away(t *testing.T, script string) (*desk, *bustest.Notifications, shownWindow) {
	t.Helper()
	address := bustest.Start(t)
	service := bustest.Serve(t, address, "body", "body-markup", "actions")
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", address)
	d := open(t, "", script)
	w := shownWindow{make(chan struct{}, 10), make(chan string, 100)}
	d.ShowIn(w)
	if err := d.SetInFront(false); err != nil {
		t.Fatal(err)
	}
	return d, service, w
}

// note waits for a notification.
func note(t *testing.T, s *bustest.Notifications) bustest.Note {
	t.Helper()
	select {
	case n := <-s.Shown:
		return n
	case <-time.After(time.Minute):
		t.Fatal("no notification was shown")
		return bustest.Note{}
	}
}

// noNote checks that no notification is shown, even after the gathered ones are out.
func noNote(t *testing.T, s *bustest.Notifications, why string) {
	t.Helper()
	select {
	case n := <-s.Shown:
		t.Errorf("%s: %+v", why, n)
	case <-time.After(700 * time.Millisecond):
	}
}

func TestCompletionIsNotifiedOnceForATree(t *testing.T) {
	d, service, window := away(t, "answer when \"child\"\ntext \"child says\"\nanswer when \"root\"\nwait child\ntext \"root is\\n <b>ready</b> now\"")
	root := d.create("Root <i>")
	child := d.child(root, "Child")
	cell := d.prompt(root, "root")
	d.run(root, cell, runner.RunCell)
	d.run(child, d.prompt(child, "child"), runner.RunCell)
	d.untilFinished(1)
	d.server.Let("child")
	d.untilFinished(1)
	n := note(t, service)
	if n.Title != "Root <i> is done" || n.Body != "root is &lt;b&gt;ready&lt;/b&gt; now" || n.Replaces != 0 {
		t.Errorf("%+v", n)
	}
	noNote(t, service, "a second one for the same tree")
	if err := service.Click(n.ID); err != nil {
		t.Fatal(err)
	}
	all := d.until(is("cellWanted"))
	if e := all[len(all)-1]; e.Data["path"] != root || e.Data["cell"] != cell {
		t.Errorf("a click: %v", e)
	}
	<-window.raised
}

func TestNotificationsAreInTheLanguageOfTheInterface(t *testing.T) {
	t.Run("of the environment", func(t *testing.T) { notifiesInChinese(t, "zh_CN.UTF-8", "") })
	t.Run("of the page", func(t *testing.T) { notifiesInChinese(t, "C.UTF-8", "zh-CN,zh;q=0.9") })
}

// notifiesInChinese checks notifications where the environment and the page's request name a
// language; "": there was no page.
func notifiesInChinese(t *testing.T, environment, accept string) {
	t.Setenv("LC_ALL", environment)
	d, service, _ := away(t, "answer\ntool write_file {\"uri\":\"a.txt\",\"content\":\"x\"}\nanswer\nstatus 401")
	if accept != "" {
		d.Language(accept)
	}
	root := d.create("根")
	d.run(root, d.prompt(root, "go"), runner.RunCell)
	request := d.asks()
	if n := note(t, service); n.Title != "根 需要你" || n.Body != "写入 a.txt" {
		t.Errorf("%+v", n)
	}
	d.resolve(request, approval.Decision{Allow: true})
	d.untilFinished(1)
	if n := note(t, service); n.Title != "根 失败了" || !strings.Contains(n.Body, "密钥") {
		t.Errorf("%+v", n)
	}
}

func TestNeedsYouIsReplacedAndCounted(t *testing.T) {
	d, service, window := away(t, "answer\ntool write_file {\"uri\":\"a.txt\",\"content\":\"x\"}\nanswer\ntool write_file {\"uri\":\"b.txt\",\"content\":\"x\"}\nanswer\ntext done")
	root := d.create("Root")
	child := d.child(root, "Child")
	cell := d.prompt(child, "go")
	d.run(child, cell, runner.RunCell)
	first := d.asks()
	n := note(t, service)
	if n.Title != "Root needs you" || n.Body != "Child: writing a.txt" || n.Hints["urgency"].Value() != byte(2) {
		t.Errorf("%+v", n)
	}
	if got := <-window.titles; !strings.HasPrefix(got, "(1) ") || !strings.HasSuffix(got, " - Mutsumi") {
		t.Errorf("title %q", got)
	}
	noNote(t, service, "a request that was told")
	if err := service.Click(n.ID); err != nil {
		t.Fatal(err)
	}
	all := d.until(is("cellWanted"))
	if e := all[len(all)-1]; e.Data["path"] != child || e.Data["cell"] != cell {
		t.Errorf("a click: %v", e)
	}
	if err := d.ResolveApproval(first.ID, approval.Decision{Allow: true}); err != nil {
		t.Fatal(err)
	}
	second := d.asks()
	if again := note(t, service); again.Body != "Child: writing b.txt" || again.ID != n.ID && !slices.Contains(drained(service.Closed), n.ID) {
		t.Errorf("%+v after %+v", again, n)
	}
	if err := d.ResolveApproval(second.ID, approval.Decision{Allow: true}); err != nil {
		t.Fatal(err)
	}
	d.untilFinished(1)
	if n := note(t, service); n.Title != "Root is done" || n.Body != "Child: done" {
		t.Errorf("%+v", n)
	}
	for title := range window.titles {
		if !strings.HasPrefix(title, "(") {
			break // nothing waits any more
		}
	}
	if err := d.SetInFront(true); err != nil {
		t.Fatal(err)
	}
	select {
	case <-service.Closed:
	case <-time.After(time.Minute):
		t.Error("the notification stays when the person is back")
	}
}

func drained(ids chan uint32) (all []uint32) {
	for {
		select {
		case id := <-ids:
			all = append(all, id)
		default:
			return all
		}
	}
}

func TestFailuresAreNotified(t *testing.T) {
	d, service, _ := away(t, "answer when \"root\"\nfail 401 Wrong key\nanswer when \"child\"\nfail 401 Wrong key")
	root := d.create("Root")
	cell := d.prompt(root, "root")
	d.run(root, cell, runner.RunCell)
	d.untilFinished(1)
	if n := note(t, service); n.Title != "Root failed" || n.Body == "" || strings.HasPrefix(n.Body, "Child") {
		t.Errorf("%+v", n)
	}
	child := d.child(root, "Child")
	d.run(child, d.prompt(child, "child"), runner.RunCell)
	d.untilFinished(1)
	if n := note(t, service); n.Title != "Root failed" || !strings.HasPrefix(n.Body, "Child: ") || n.Replaces == 0 {
		t.Errorf("%+v", n)
	}
}

func TestNobodyIsDisturbed(t *testing.T) {
	d, service, _ := away(t, "answer always\ntext done")
	path := d.create("A")
	cell := d.prompt(path, "go")
	again := func(why string) {
		t.Helper()
		d.run(path, cell, runner.RunCell)
		d.untilFinished(1)
		noNote(t, service, why)
	}
	if err := d.SetInFront(true); err != nil {
		t.Fatal(err)
	}
	again("in front")
	if err := d.SetInFront(false); err != nil {
		t.Fatal(err)
	}
	noNote(t, service, "what was seen")
	if err := d.ChangePreferences(settings.Preferences{}, settings.Preferences{Quiet: true}); err != nil {
		t.Fatal(err)
	}
	again("quiet")
	if err := d.ChangePreferences(settings.Preferences{Quiet: true}, settings.Preferences{}); err != nil {
		t.Fatal(err)
	}
	d.run(path, cell, runner.RunCell)
	d.untilFinished(1)
	if n := note(t, service); n.Title != "A is done" {
		t.Errorf("%+v", n)
	}
}

// A request that comes while the person turns away is notified; one that they had time to see is
// not.
func TestARequestThatArrivesAsThePersonLooksAwayIsNotified(t *testing.T) {
	d, service, window := away(t, "answer times 2\ntool write_file {\"uri\":\"a.txt\",\"content\":\"x\"}")
	path := d.create("A")
	counted := func(waiting bool) {
		t.Helper()
		for {
			select {
			case got := <-window.titles:
				if strings.HasPrefix(got, "(1) ") == waiting {
					return
				}
			case <-time.After(time.Minute):
				t.Fatal("the title did not change")
			}
		}
	}
	ask := func() {
		t.Helper()
		if err := d.SetInFront(true); err != nil {
			t.Fatal(err)
		}
		d.run(path, d.prompt(path, "go"), runner.RunCell)
		counted(true)
	}
	ask()
	if err := d.SetInFront(false); err != nil {
		t.Fatal(err)
	}
	if n := note(t, service); n.Title != "A needs you" {
		t.Errorf("%+v", n)
	}
	if err := d.Stop(path); err != nil {
		t.Fatal(err)
	}
	counted(false)
	ask()
	time.Sleep(1200 * time.Millisecond) // they read it
	if err := d.SetInFront(false); err != nil {
		t.Fatal(err)
	}
	noNote(t, service, "what was seen")
}

// A run that the person stopped is no news to them.
func TestAStopIsNoNews(t *testing.T) {
	d, service, _ := away(t, "answer\ntext x\nstall")
	path := d.create("A")
	d.run(path, d.prompt(path, "go"), runner.RunCell)
	d.until(is("delta"))
	if err := d.Stop(path); err != nil {
		t.Fatal(err)
	}
	d.untilFinished(1)
	noNote(t, service, "a stop")
}
