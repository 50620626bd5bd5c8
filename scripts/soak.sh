#!/usr/bin/env bash
# make soak: a 5 MB notebook is saved by a process that is killed (SIGKILL) in
# the middle, ROUNDS times; every time the file is valid and at most a second old.
. "$(dirname "$0")/steps.sh"
need_toolchain
MUTSUMI_SOAK=${ROUNDS:-1000} exec go test -count=1 -timeout 3h -run 'Kill' -v ./backend/notebook ./backend/checkpoint
