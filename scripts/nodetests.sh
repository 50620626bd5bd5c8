#!/usr/bin/env bash
# Runs Node's test runner on whole programs and writes its totals to OUT/counts. A run without tests
# is a failure. It is a separate file because the shell that xvfb-run starts does not inherit
# functions.
#
# usage: scripts/nodetests.sh OUT NAME AT_ONCE FILE...   AT_ONCE: how many files run in parallel
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
