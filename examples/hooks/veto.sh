#!/bin/sh
# Refuses to compact while a merge or rebase is going on: what was decided about
# each conflict should stay in view until it is over.
#
# Event: session_before_compact. When the request does not fit any more, a
# compaction is made all the same, and the refusal is reported.
cat >/dev/null
git_dir=$(git rev-parse --git-dir 2>/dev/null) || exit 0
for state in MERGE_HEAD rebase-merge rebase-apply; do
  if [ -e "$git_dir/$state" ]; then
    echo "git is in the middle of something ($state)" >&2
    exit 2
  fi
done
