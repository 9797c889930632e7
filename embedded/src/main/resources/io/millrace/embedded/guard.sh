# SPDX-License-Identifier: Apache-2.0
#
# Runs between a JVM and its private server, and removes the server and its directory however the JVM ends.
#
#   JVM --pipe--> guard (this shell) --starts--> server
#                   \--starts--> watcher: reads the pipe, kills the server at its end
#
# The pipe ends when the JVM closes it or ends for any reason, including kill -9. The guard waits only for this end.
# It ignores signals of the terminal, because an interrupted load needs its server until the load has drained.
# The guard creates the directory itself, as its first step, so that a JVM that dies early leaves no directory behind.
#
# $1      parent of the directory
# stdin   one line with the path of the server's binary, after its configuration is in the directory; then nothing
# stdout  the directory, then "millrace-server-pid N"; all other lines are the server's log

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
  # "read" is a shell builtin, so the watcher is a single process, which one kill ends.
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
