package settings

import (
	"os"
	"path/filepath"
	"testing"
)

func TestTrustIsRememberedByTheRealFolder(t *testing.T) {
	t.Setenv("MUTSUMI_STATE", t.TempDir())
	s, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(folder, link); err != nil {
		t.Fatal(err)
	}
	if trusted, asked := s.Trusted(folder); trusted || asked {
		t.Error("a folder nobody was asked about is trusted")
	}
	if err := s.Trust(link, true, nil); err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{folder, link} {
		if trusted, asked := s.Trusted(f); !trusted || !asked {
			t.Errorf("%s is not trusted", f)
		}
	}
	if trusted, _ := s.Trusted(filepath.Join(folder, "sub")); trusted {
		t.Error("a folder inside is another folder")
	}
	if err := s.Trust(folder, false, nil); err != nil {
		t.Fatal(err)
	}
	if trusted, asked := s.Trusted(link); trusted || !asked {
		t.Error("taking trust back did not work")
	}
	if err := os.WriteFile(s.trustFile(), []byte("[{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if trusted, _ := s.Trusted(folder); trusted {
		t.Error("a damaged list trusts")
	}
}
