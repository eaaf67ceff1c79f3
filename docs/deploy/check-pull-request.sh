#!/usr/bin/env bash
# Checks queries and rules, then tries the changed rules on past days. Changes no budget. action.yml in the root calls it:
#   check-pull-request.sh COMMAND...         # the words that start pacekeeper, in the root of a git repository
# CONFIG: the settings. BASE: the commit to compare with. DATA_DIR: a data folder with a history (default: a new one,
# filled by pacekeeper extract). SARIF: path for the findings. Exits with 2 if a file has an error.
set -euo pipefail

config=${CONFIG:-pacekeeper.yaml}
summary=${GITHUB_STEP_SUMMARY:-/dev/stdout}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export NO_COLOR=1 COLUMNS=120

pacekeeper() { "${program[@]}" "$@" --config "$config"; }
program=("$@")

# Indented text is code in Markdown, and no text can end it.
say() { printf '\n%s\n' "$1" >> "$summary"; }
show() { { echo; sed 's/^/    /' "$1"; } >> "$summary"; }
warn() {
  say "$1"
  echo "::warning title=pacekeeper::$1"
}

say '## pacekeeper'
pacekeeper check --format sarif > "${SARIF:-/dev/null}" || true
# GitHub shows these lines at their places in the files.
pacekeeper check --format github || true
code=0
pacekeeper check > "$work/check" 2>&1 || code=$?
show "$work/check"
[ "$code" = 0 ] || exit "$code"

if [ -z "${BASE:-}" ]; then
  say 'No back-test, because there is no commit to compare with.'
  exit 0
fi
if ! git cat-file -e "$BASE^{commit}" 2> /dev/null; then
  warn 'No back-test, because the commit to compare with is not here. Set fetch-depth: 0 for actions/checkout.'
  exit 0
fi

# A rule has the name of its file.
rules=()
while IFS= read -r -d '' path; do
  name=${path##*/}
  rules+=("${name%.*}")
done < <(git diff -z --name-only --diff-filter=d --no-renames "$BASE...HEAD" -- "$(dirname "$config")/rules/*.yaml" "$(dirname "$config")/rules/*.yml")
if [ ${#rules[@]} = 0 ]; then
  say 'No rule has changed.'
  exit 0
fi

data=${DATA_DIR:-}
if [ -z "$data" ]; then
  data=$work/data
  if ! pacekeeper extract --data-dir "$data" > "$work/extract" 2>&1; then
    warn 'No back-test, because the data could not be read.'
    show "$work/extract"
    exit 0
  fi
fi
for rule in "${rules[@]}"; do
  say "### Back-test of $rule"
  pacekeeper rules backtest "$rule" --data-dir "$data" > "$work/backtest" 2> "$work/errors" ||
    warn "The back-test of $rule is not complete."
  show "$work/backtest"
  show "$work/errors"
done
