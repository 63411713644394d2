#!/bin/sh
# Keeps TODO.md through a compaction: every line of it goes into the request for
# the summary, as a line of context.
#
# Event: session.compacting. Programs run in the project's folder.
cat >/dev/null # the event; nothing in it is needed here
[ -s TODO.md ] || exit 0

# One JSON string per line that is not blank: tabs as spaces, other control
# characters left out, backslashes and quotes escaped.
printf '{"context":["Keep this todo list word for word, with what is done and what is not:"'
tr '\011' ' ' <TODO.md | tr -d '\000-\010\013-\037' | sed -e '/^[[:space:]]*$/d' -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/.*/,"&"/'
printf ']}\n'
