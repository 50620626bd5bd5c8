#!/usr/bin/env bash
# Node's test runner on whole programs, with its totals into OUT/counts. A run
# of no test is a failure. A file of its own, because the shell that xvfb-run
# starts passes no functions on.
#
# usage: scripts/nodetests.sh OUT NAME AT_ONCE FILE...   AT_ONCE: how many files run beside each other
set -u
out=$1 name=$2 at_once=$3 status=0
shift 3
MUTSUMI_BIN=$PWD/bin/mutsumi MUTSUMI_E2E_OUT=$out node --test --test-concurrency="$at_once" \
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
