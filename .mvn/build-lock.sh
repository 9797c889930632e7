# SPDX-License-Identifier: Apache-2.0
#
# The build lock of a source tree. Sourced by the launcher, .ci/run, .ci/test and .ci/soak. A second build in the same
# tree would replace classes and jars that a running build, test or program still reads.

# take_build_lock FOLDER: waits until no other build or test run holds the lock of FOLDER, then takes the lock. Fails if
# FOLDER/.mvn is not writable. Child processes see MILLRACE_BUILD_LOCK and do not take the lock again.
take_build_lock() {
  build_lock=
  [ "${MILLRACE_BUILD_LOCK-}" != "$1" ] || return 0
  if [ ! -w "$1/.mvn" ]; then
    echo "millrace: $1 must be built first, and is not writable. Build it as its owner: ./millrace --version" >&2
    return 1
  fi
  build_lock=$1/.mvn/.build.lock
  if command -v flock >/dev/null 2>&1; then
    # The lock ends with the last process that holds descriptor 9: this script, or the Maven it started.
    [ -e "$build_lock" ] || : >"$build_lock"
    exec 9<"$build_lock"
    flock -n 9 || { report_lock_wait "$1"; flock 9; }
  else
    take_lock_folder "$1"
  fi
  export MILLRACE_BUILD_LOCK="$1"
}

# The lock without flock, as on macOS: a folder with the process id of its holder. The lock of an ended process is removed.
take_lock_folder() {
  lock_wait_reported=
  until mkdir "$build_lock.d" 2>/dev/null; do
    lock_holder=$(cat "$build_lock.d/pid" 2>/dev/null) || lock_holder=
    # In a new container a process can have the id of an earlier holder, even this process.
    if [ "$lock_holder" = $$ ] || { [ -n "$lock_holder" ] && ! kill -0 "$lock_holder" 2>/dev/null; }; then
      mv "$build_lock.d" "$build_lock.$$" 2>/dev/null && rm -rf "$build_lock.$$"
    else
      [ -n "$lock_wait_reported" ] || report_lock_wait "$1 (process ${lock_holder:-unknown}; if it is not a build, remove $build_lock.d)"
      lock_wait_reported=1
      sleep 1
    fi
  done
  trap 'rm -rf "$build_lock.d"' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  echo $$ >"$build_lock.d/pid"
}

report_lock_wait() {
  echo "millrace: waiting for another build or test run in $1" >&2
}

# free_build_lock: releases the lock that take_build_lock took. Does nothing if it took none.
free_build_lock() {
  [ -n "$build_lock" ] || return 0
  unset MILLRACE_BUILD_LOCK
  exec 9<&-
  rm -rf "$build_lock.d"
  trap - EXIT INT TERM
}
