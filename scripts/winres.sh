#!/usr/bin/env bash
# Makes rsrc_windows_amd64.syso from build/windows; its result is committed.
. "$(dirname "$0")/steps.sh"
go run github.com/tc-hib/go-winres@v0.3.3 make --in build/windows/winres.json --arch amd64 --out rsrc
