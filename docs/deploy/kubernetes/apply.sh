#!/usr/bin/env bash
# Makes ConfigMaps of your settings, and applies the files beside this script. Pods with older files are replaced.
#   apply.sh FOLDER        # with pacekeeper.yaml, queries/, rules/ and models/; needs the secret of schedule.yaml
set -euo pipefail

folder=${1:?next step: name the folder of pacekeeper.yaml}
here=$(cd "$(dirname "$0")" && pwd)
cd "$folder"
[ -f pacekeeper.yaml ] || { echo "There is no pacekeeper.yaml in $folder." >&2; exit 2; }

config_map() { kubectl create configmap "$@" --dry-run=client --output=yaml | kubectl apply --filename=-; }
config_map pacekeeper-settings --from-file=pacekeeper.yaml
# A ConfigMap without files is valid, so that the pods find each of their folders.
for part in queries rules models; do
  if [ -d "$part" ]; then config_map "pacekeeper-$part" "--from-file=$part"; else config_map "pacekeeper-$part"; fi
done
hash=$(
  { find pacekeeper.yaml queries rules models -type f 2> /dev/null || true; } | LC_ALL=C sort |
    while IFS= read -r file; do echo "$file" && cat "$file"; done | cksum | tr ' ' -
)
for file in "$here"/*.yaml; do
  sed "s/SETTINGS_HASH/$hash/" "$file" | kubectl apply --filename=-
done
