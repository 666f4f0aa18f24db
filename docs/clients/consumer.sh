#!/usr/bin/env bash
# Receives messages of a topic and handles them one at a time. Needs curl and jq.
set -u
LEASE=30 # seconds
reply=$(mktemp)
stopping=''
receiving=''
trap 'rm -f "$reply"' EXIT
# closes the connection: the queue then claims no message for it
trap 'stopping=1; [ -z "$receiving" ] || kill "$receiving" 2> /dev/null' TERM

handle() { # your code; a status other than 0 fails the attempt
  echo "handled $(jq -r .id <<< "$1")"
}

post() { # path, body; prints the body and the status of the response; ends its subshell, so that a kill ends curl
  exec curl -sS -m 40 -X POST "$QUEUE$1" -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \
    -d "$2" -w '\n%{http_code}'
}

settle() { # path, body; repeats the request until the queue has replied, which is safe
  local pause=1 status
  while true; do
    status=$(post "$1" "$2" | tail -n 1)
    case $status in
      2?? | 410) return ;; # 410: the message is delivered again
      429 | 5?? | 000) sleep "$pause" ;;
      *) echo "$1: $status" >&2; exit 1 ;;
    esac
    pause=$((pause < 16 ? 2 * pause : 30))
  done
}

consume() {
  local lease
  lease=/leases/$(jq -r .receipt <<< "$1")
  (while sleep $((LEASE / 3)); do settle "$lease/extend" "{\"lease\": \"${LEASE}s\"}"; done) &
  local extending=$!
  if handle "$1"; then set -- acknowledge '{}'; else set -- retry '{"delay": "10s"}'; fi
  kill "$extending"
  settle "$lease/$1" "$2"
}

pause=1
while [ -z "$stopping" ]; do
  post /receive "{\"topics\": [\"$TOPIC\"], \"wait\": \"20s\", \"lease\": \"${LEASE}s\"}" > "$reply" &
  receiving=$!
  wait "$receiving"
  receiving=''
  if [ "$(tail -n 1 "$reply")" = 200 ]; then
    pause=1
    while read -r message; do consume "$message"; done < <(sed '$d' "$reply" | jq -c '.messages[]')
  elif [ -z "$stopping" ]; then
    cat "$reply" >&2
    sleep "$pause"
    pause=$((pause < 16 ? 2 * pause : 30))
  fi
done
