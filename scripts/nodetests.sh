#!/usr/bin/env bash
# Node's test runner on whole programs, with its totals into OUT/counts. A run
# of no test is a failure. A file of its own, because the shell that xvfb-run
# starts passes no functions on.
#
# usage: scripts/nodetests.sh OUT NAME FILE...
set -u
out=$1 name=$2 status=0
shift 2
# One file after another: each starts whole programs, and two share two cores badly.
MUTSUMI_BIN=$PWD/bin/mutsumi MUTSUMI_E2E_OUT=$out node --test --test-concurrency=1 \
  --test-reporter=spec --test-reporter-destination=stdout \
  --test-reporter=tap --test-reporter-destination="$out/$name.tap" "$@" || status=$?
node -e '
  const t = require("fs").readFileSync(process.argv[1], "utf8");
  const n = (k) => Number((t.match(new RegExp("^# " + k + " (\\d+)$", "m")) || [0, 0])[1]);
  const [pass, fail] = [n("pass"), n("fail") + n("cancelled")];
  require("fs").writeFileSync(process.argv[2], [pass, fail, n("skipped")].join(" "));
  if (pass + fail === 0) { console.error("no test ran"); process.exit(1) }
  console.log(`summary: ${pass} tests`)' "$out/$name.tap" "$out/counts/$name" || status=1
exit $status
