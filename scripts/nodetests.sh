#!/usr/bin/env bash
# Runs Node's test runner on whole programs and writes its totals to OUT/counts. A run without tests
# is a failure. If tests of one or two files fail, these files are run once more, and the summary
# names them: the tests share the processors with much else. It is a separate file because the shell
# that xvfb-run starts does not inherit functions.
#
# usage: scripts/nodetests.sh OUT NAME AT_ONCE FILE...   AT_ONCE: how many files run in parallel
set -u
out=$1 name=$2 at_once=$3 status=0
shift 3
# tests NAME FILE...
tests() {
  local name=$1
  shift
  MUTSUMI_BIN=$PWD/bin/mutsumi MUTSUMI_E2E_OUT=$out node --test --test-concurrency="$at_once" \
    --test-reporter=spec --test-reporter-destination=stdout \
    --test-reporter=tap --test-reporter-destination="$out/$name.tap" "$@"
}
tests "$name" "$@" >"$out/$name.txt" 2>&1 || status=$?
cat "$out/$name.txt"
again=$(grep -oE '^test at [^:]+' "$out/$name.txt" | cut -c 9- | sort -u)
if [ $status != 0 ] && [ -n "$again" ] && [ "$(wc -l <<<"$again")" -le 2 ]; then
  echo "Again: $again"
  # shellcheck disable=SC2086
  if tests "$name-again" $again; then status=0; else again=''; fi
else
  again=''
fi
node -e '
  const t = require("fs").readFileSync(process.argv[1], "utf8");
  const n = (k) => Number((t.match(new RegExp("^# " + k + " (\\d+)$", "m")) || [0, 0])[1]);
  const again = process.argv[3];
  const failed = n("fail") + n("cancelled");
  const [pass, fail] = again ? [n("pass") + failed, 0] : [n("pass"), failed];
  require("fs").writeFileSync(process.argv[2], [pass, fail, n("skipped")].join(" "));
  if (pass + fail === 0) { console.error("no test ran"); process.exit(1) }
  console.log(`summary: ${pass} tests` + (again ? `; failed at first: ${again.split("\n").join(", ")}` : ""))' "$out/$name.tap" "$out/counts/$name" "$again" || status=1
exit $status
