package cli

import (
	"flag"
	"fmt"
	"io/fs"
	"path/filepath"

	"mutsumi/backend/language"
	"mutsumi/backend/sample"
	"mutsumi/backend/settings"
)

// sampleCommand makes the sample in the language of the interface.
func sampleCommand(p *Program, args []string) error {
	rest, err := words(flag.NewFlagSet("sample", flag.ContinueOnError), args, 0, 1)
	if err != nil {
		return err
	}
	store, err := settings.Open("")
	if err != nil {
		return err
	}
	folder, err := sample.Folder()
	if len(rest) > 0 {
		folder, err = filepath.Abs(rest[0])
	}
	if err != nil {
		return err
	}
	if err := sample.Make(p.files(p.Sample, "sample", store.Language), folder); err != nil {
		return err
	}
	fmt.Fprintln(p.Stdout, folder)
	return nil
}

// files returns files of the program in the language that in returns; name is
// their folder in the Chinese ones.
func (p *Program) files(english fs.FS, name string, in func() string) fs.FS {
	if p.Chinese == nil {
		return english
	}
	chinese, err := fs.Sub(p.Chinese, name)
	if err != nil {
		return english
	}
	return language.Files(english, chinese, in)
}
