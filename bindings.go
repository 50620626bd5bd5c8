//go:build bindings

package main

import (
	"embed"

	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
)

//go:embed wails.json
var project embed.FS

// Built with the tag bindings, the program only writes frontend/wailsjs.
func main() {
	err := wails.Run(&options.App{AssetServer: &assetserver.Options{Assets: project}, Bind: []any{&App{}}})
	if err != nil {
		panic(err)
	}
}
