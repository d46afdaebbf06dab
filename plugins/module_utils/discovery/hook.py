# SPDX-License-Identifier: GPL-3.0-or-later
"""The program that dnsmasq runs for every lease, and the playbook for its marks: one line into the journal each time.

It is plain sh that starts `date` and nothing else, as a burst of leases runs it thousands of times. Whatever a client
says of itself is cut to 64 bytes, and each byte that is no letter, digit or plain sign becomes a question mark.
"""

from __future__ import annotations

HOME = "/var/lib/flathood/discovery"
JOURNAL = f"{HOME}/journal.jsonl"
HOOK = "/usr/local/lib/flathood/dhcp-journal"
UNIT = "flathood-discovery.service"
#: Bytes at which the journal begins anew (the one before is kept); and those beyond which nothing is written.
ROTATE = 16 * 1024 * 1024
LIMIT = 4 * ROTATE

SCRIPT = f"""#!/bin/sh
# flathood: writes a line into the journal of power-on discovery (see docs/discovery.md of the project).
#   add|old|del MAC IP [NAME]   what dnsmasq(8) --dhcp-script says, the rest from its variables
#   begin SECONDS | open|close|saved NODE | report MAC...   what the playbook does
export LC_ALL=C
journal={JOURNAL}
ulimit -f {LIMIT // 512}

clean() {{
  word=$(printf '%.64s' "$1")
  case $word in *[!A-Za-z0-9._:/=\\ -]*) word=$(printf '%s' "$word" | tr -c 'A-Za-z0-9._:/= -' '?') ;; esac
  printf '%s' "$word"
}}

at=$(date +%s.%N)
case $1 in
add | old | del)
  expires=${{DNSMASQ_LEASE_EXPIRES:-0}}
  case $expires in *[!0-9]*) expires=0 ;; esac
  said=$(printf '"host": "%s", "vendor": "%s", "user": "%s"' "$(clean "${{DNSMASQ_SUPPLIED_HOSTNAME:-}}")" \\
    "$(clean "${{DNSMASQ_VENDOR_CLASS:-}}")" "$(clean "${{DNSMASQ_USER_CLASS0:-}}")")
  printf '{{"at": %s, "event": "%s", "mac": "%s", "ip": "%s", "expires": %s, %s}}\\n' \\
    "$at" "$1" "$(clean "$2")" "$(clean "$3")" "$expires" "$said" >> "$journal"
  ;;
begin)
  printf '{{"at": %s, "event": "begin", "lease": %s}}\\n' "$at" "$2" >> "$journal"
  ;;
open)
  if [ "$(stat -c %s "$journal")" -gt {ROTATE} ]; then
    begin=$(grep -a '"event": "begin"' "$journal" | tail -n 1)
    mv "$journal" "$journal.1"
    printf '%s\\n' "$begin" >> "$journal"
    # dnsmasq now tells all leases again, so that the new journal knows who is on the wire.
    systemctl kill --signal=HUP {UNIT} && sleep 2
    at=$(date +%s.%N)
  fi
  printf '{{"at": %s, "event": "open", "node": "%s"}}\\n' "$at" "$(clean "$2")" >> "$journal"
  ;;
close | saved)
  printf '{{"at": %s, "event": "%s", "node": "%s"}}\\n' "$at" "$1" "$(clean "$2")" >> "$journal"
  ;;
report)
  shift
  macs=
  for mac; do macs="$macs${{macs:+, }}\\"$(clean "$mac")\\""; done
  printf '{{"at": %s, "event": "report", "macs": [%s]}}\\n' "$at" "$macs" >> "$journal"
  ;;
esac
"""
