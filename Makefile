# The project's commands. What each does stands in scripts/; this file only names them.
SHELL := bash
.DEFAULT_GOAL := help
.PHONY: help run test format build package dev windows bench soak screenshots clean

help: ## this list
	@grep -E '^[a-z]+:.*## ' Makefile | sed -E 's/:.*## /\t/' | expand -t 14

run: ## open a folder: make run DIR=path (without DIR: a sample folder)
	@bash scripts/run.sh "$(DIR)"

test: ## everything that CI checks
	@bash scripts/test.sh

format: ## every source as make test wants it
	@gofmt -w $$(git ls-files '*.go')
	@npm --prefix frontend run --silent format

build: ## bin/mutsumi for this system
	@bash scripts/build.sh

windows: ## bin/mutsumi.exe and bin/mutsumi-cli.exe, from any system
	@bash scripts/build.sh windows

package: ## bin/packages: a Debian package, a tarball and a zip for Windows; on macOS the application
	@bash scripts/package.sh

dev: ## the interface with hot reload: make dev DIR=path
	@bash scripts/dev.sh "$(DIR)"

bench: ## figures: Go, interface, whole program (BENCH_SECONDS=600 for the long run)
	@bash scripts/bench.sh

soak: ## 1,000 rounds of kill -9 during saves, an hour of commands in real shells
	@bash scripts/soak.sh

screenshots: ## docs/*.png from the real window
	@bash scripts/screenshots.sh

clean: ## remove what was built
	@rm -rf bin frontend/node_modules/.mutsumi-dist tmp/test
	@find frontend/dist -mindepth 1 ! -name .gitkeep -delete
