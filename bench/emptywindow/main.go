//go:build emptywindow

// Command emptywindow is the baseline for the program's figures: a window with an empty page and
// nothing else, as Wails makes one, built with the same tags as the program. bench/program.mjs measures it alongside
// the program, which never includes it.
package main

import (
	"embed"
	"io/fs"
	"log"

	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
)

//go:embed page
var page embed.FS

func main() {
	assets, err := fs.Sub(page, "page")
	if err != nil {
		log.Fatal(err)
	}
	err = wails.Run(&options.App{Title: "Empty", Width: 1280, Height: 860, AssetServer: &assetserver.Options{Assets: assets}})
	if err != nil {
		log.Fatal(err)
	}
}
