# SPDX-License-Identifier: Apache-2.0
#
# Stands between a JVM and its private server, so that nothing is left however the JVM ends.
#
#   JVM --pipe--> guard (this shell) --starts--> server
#                   \--starts--> watcher: reads the pipe, kills the server at its end
#
# The pipe ends when the JVM closes it or dies of anything, kill -9 included: that is the only sign that is waited for.
# The terminal's signals are ignored, because an interrupted load still needs its server until it has drained.
# The guard makes the directory itself and first of all: there is no moment at which a dead JVM leaves it behind.
#
# $1  where to make the directory
# in  one line, the server's binary, once its configuration lies in the directory; then nothing until the end
# out the directory; "millrace-server-pid N"; between and after them the server's own log

trap '' HUP INT QUIT TERM PIPE
umask 077
directory=$(mktemp -d "$1/millrace-redis-XXXXXXXX") || exit 70
echo "$directory"
status=0
if IFS= read -r binary; then
  exec 3<&0
  "$binary" "$directory/redis.conf" </dev/null 2>&1 3<&- &
  server=$!
  echo "millrace-server-pid $server"
  # "read" and not "cat": the watcher is one process, and ends as one.
  { read -r _; kill -KILL "$server"; } <&3 &
  watcher=$!
  exec 3<&- </dev/null
  wait "$server"
  status=$?
  kill -KILL "$watcher" 2>/dev/null
  wait "$watcher" 2>/dev/null
fi
rm -rf "$directory"
exit "$status"
