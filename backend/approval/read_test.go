package approval

import (
	"os"
	"path/filepath"
	"testing"
)

// Reading a call looks at the disk; judging it does not, since requests are judged under a lock.
func TestJudgingReadsNothingFromDisk(t *testing.T) {
	p, where := grants(t, "echo *", "> **", "make")
	link := filepath.Join(where.Workspace, "link")
	if err := os.Symlink("src/plain.txt", link); err != nil {
		t.Fatal(err)
	}
	where.Arguments = `{"command":"echo x > link && make"}`
	read := subjectOf(where)
	if v := p.ruling().check(read); v.Outcome != Allow {
		t.Fatalf("%s", v.Reason)
	}
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(".git/hooks/pre-commit", link); err != nil {
		t.Fatal(err)
	}
	if v := p.ruling().check(read); v.Outcome != Allow {
		t.Errorf("judging a call that was read before looked at the disk again: %s", v.Reason)
	}
	if v := p.Check(where); v.Outcome != Ask {
		t.Errorf("reading again did not see the link: %s", v.Outcome)
	}
}
