#!/usr/bin/env bash
# make soak: a 5 MB notebook is saved by a process that is killed (SIGKILL) in
# the middle, ROUNDS times; every time the file is valid and at most a second
# old. A program is killed right after a command took effect: no effect comes
# twice. Other programs write a notebook while an answer streams into it: no
# version is lost. Then commands that the policy lets through are compared with what real
# shells run, for the time SHELLS.
. "$(dirname "$0")/steps.sh"
need_toolchain
MUTSUMI_SOAK=${ROUNDS:-1000} go test -count=1 -timeout 3h -run 'Kill|NoForeignVersion' -v ./backend/notebook ./backend/checkpoint ./backend/workspace
MUTSUMI_SHELLS=${SHELLS:-1h} go test -count=1 -timeout 24h -run 'TestShells' -v ./backend/approval
