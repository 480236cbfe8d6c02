#!/usr/bin/env bash
# Backs up "notes" and "photos" to a disk by its label.
set -euo pipefail

LABEL="${1:-backup}"
TARGET="/mnt/$LABEL"
LOG="$TARGET/log.txt"
declare -A DIRS=(["notes"]="$HOME/notes" ["photos"]="$HOME/Photos 2026")

say() { printf '%s "%s"\n' "$(date +"%H:%M")" "$*" >> "$LOG"; }

if [ -z "$LABEL" ] || [ ! -d "$TARGET" ]; then
  echo "no disk \"$LABEL\", is it mounted?" >&2
  exit 1
fi

for name in "${!DIRS[@]}"; do
  src="${DIRS[$name]}"
  if [[ "$src" == "" ]]; then continue; fi
  rsync -a --exclude "*.tmp" --exclude="cache" "$src/" "$TARGET/$name/" && say "copied $name"
done

curl -s -X POST -H "Content-Type: application/json" \
  -d "{\"text\": \"backup of $LABEL done\", \"level\": \"info\"}" "https://hooks.example.test/a"
cat <<EOF > "$TARGET/state.json"
{"label": "$LABEL", "when": "$(date -I)", "files": $(find "$TARGET" -type f | wc -l)}
EOF
echo "done" | tee -a "$LOG"
awk -F"," '{ print $1 "=" $2 }' "$LOG" | sed -e "s/\"//g" -e 's/x/"y"/' || true
