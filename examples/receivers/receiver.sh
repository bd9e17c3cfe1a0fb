#!/usr/bin/env bash
# Receives deliveries of Posthorn: verifies each, and processes each id once. README.md says how to run it.
set -euo pipefail
export LC_ALL=C

readonly tolerance_seconds=300 max_body_bytes=$((257 * 1024))

# During a rotation: the old and the new secret, separated by a space.
read -ra secrets <<<"${WEBHOOK_SECRET:-}"
if [[ ${secrets[0]:-} != whsec_?* ]]; then
  echo 'Set WEBHOOK_SECRET to the signing secret of the webhook: whsec_…' >&2
  exit 1
fi

# Each connection runs this script once more, with the output of this process as number 3.
if [[ ${1:-} != handle ]]; then
  cd "$(dirname "$0")"
  exec socat -T 15 "TCP-LISTEN:${PORT:-3000},bind=127.0.0.1,reuseaddr,fork,max-children=50" \
    EXEC:'bash receiver.sh handle' 3>&1
fi

# HMAC-SHA256 of the standard input, in base64 (RFC 2104), by a key of at most 64 bytes in hexadecimal. No program gets
# the key as an argument, because every user of the machine can see those.
hmac() {
  local key inner='' outer='' i byte
  printf -v key '%-128s' "$1"
  key=${key// /0}
  for ((i = 0; i < 128; i += 2)); do
    byte=$((16#${key:i:2}))
    printf -v inner '%s\\x%02x' "$inner" $((byte ^ 0x36))
    printf -v outer '%s\\x%02x' "$outer" $((byte ^ 0x5c))
  done
  { printf '%b' "$inner"; cat; } | openssl dgst -sha256 -binary |
    { printf '%b' "$outer"; cat; } | openssl dgst -sha256 -binary | openssl base64 -A
}

# Compares every character, so that the time does not show where two signatures differ.
equal_in_constant_time() {
  local i a b difference=0
  ((${#1} == ${#2})) || return 1
  for ((i = 0; i < ${#1}; i++)); do
    printf -v a %d "'${1:i:1}"
    printf -v b %d "'${2:i:1}"
    difference=$((difference | (a ^ b)))
  done
  ((difference == 0))
}

# Whether the delivery is authentic. The file has the raw bytes of the body, which the signature covers.
verify() {
  local file=$1 secret key expected pair pairs age
  [[ -n $id && $timestamp =~ ^[0-9]{1,15}$ ]] || return 1
  age=$(($(date +%s) - 10#$timestamp))
  ((${age#-} <= tolerance_seconds)) || return 1
  read -ra pairs <<<"$signatures"
  for secret in "${secrets[@]}"; do
    key=$(openssl base64 -d -A <<<"${secret#whsec_}" | od -An -v -tx1 | tr -d ' \n')
    # Without a key of 24 to 64 bytes, or without openssl, nothing is authentic.
    ((${#key} >= 48 && ${#key} <= 128)) || return 1
    expected=$({ printf '%s.%s.' "$id" "$timestamp"; cat "$file"; } | hmac "$key")
    ((${#expected} == 44)) || return 1
    for pair in ${pairs[@]+"${pairs[@]}"}; do
      equal_in_constant_time "$pair" "v1,$expected" && return
    done
  done
  return 1
}

# Store the event durably here, and work on it later: Posthorn waits 15 seconds for the answer.
process() {
  { printf '%s ' "$1" && cat "$2" && echo; } >&3
}

# Deliveries can repeat. Each id is a folder; better: a unique column, in the transaction that stores the event. If
# `process` fails, the retry is processed.
process_once() {
  local ids=${TMPDIR:-/tmp}/posthorn-receiver
  mkdir -p -m 700 "$ids"
  if ! mkdir "$ids/$1" 2>/dev/null; then
    [[ -d $ids/$1 ]]
    return
  fi
  process "$@" || { rmdir "$ids/$1"; return 1; }
}

answer() {
  printf 'HTTP/1.1 %s\r\nconnection: close\r\n\r\n' "$1"
  exit
}

id='' timestamp='' signatures='' is_test='' length=0
read -r _
while IFS= read -r line && line=${line%$'\r'} && [[ -n $line ]]; do
  name=${line%%:*} value=${line#*:}
  value=${value#"${value%%[! ]*}"}
  case ${name,,} in
    wh-id) id=$value ;;
    wh-timestamp) timestamp=$value ;;
    wh-signature) signatures=$value ;;
    wh-test) is_test=$value ;;
    content-length) length=$value ;;
  esac
done

# Also the name of a folder.
[[ $id =~ ^[A-Za-z0-9_]{1,100}$ && $length =~ ^[0-9]{1,9}$ ]] || answer '400 Bad Request'
((10#$length <= max_body_bytes)) || answer '413 Content Too Large'
body=$(mktemp)
trap 'rm -f "$body"' EXIT
head -c "$length" >"$body"
verify "$body" || answer '400 Bad Request'
# The test of a webhook tells of no event.
[[ $is_test == true ]] || process_once "$id" "$body" || answer '500 Internal Server Error'
answer '204 No Content'
