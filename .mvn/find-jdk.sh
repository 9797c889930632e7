# SPDX-License-Identifier: Apache-2.0
#
# Finds a JDK. The launcher sources this script. The Makefile runs `sh .mvn/find-jdk.sh`, which prints the folder of the JDK.
# The script reads the file `release` of each candidate. It does not start Java, because that takes longer than the search.

# jdk_fits FOLDER LOWEST: whether FOLDER is a JDK of at least the version LOWEST (three numbers with dots). Sets jdk_version.
jdk_fits() {
  [ -r "$1/release" ] && [ -x "$1/bin/javac" ] || return 1
  jdk_version=
  while IFS='=' read -r jdk_name jdk_value; do
    if [ "$jdk_name" = JAVA_VERSION ]; then
      jdk_value=${jdk_value#\"}
      jdk_version=${jdk_value%%[!0-9.]*}
    fi
  done < "$1/release"
  [ -n "$jdk_version" ] && version_at_least "$jdk_version" "$2"
}

# version_at_least VERSION LOWEST: compares the first three numbers. Missing numbers are 0.
version_at_least() {
  jdk_saved_ifs=$IFS
  IFS=.
  # shellcheck disable=SC2086 # The numbers must be split.
  set -- $1 -- $2
  IFS=$jdk_saved_ifs
  jdk_a=${1:-0} jdk_b=0 jdk_c=0
  shift
  if [ "$1" != -- ]; then jdk_b=$1; shift; fi
  if [ "$1" != -- ]; then jdk_c=$1; shift; fi
  while [ "$1" != -- ]; do shift; done
  shift
  [ $((jdk_a * 1000000 + jdk_b * 1000 + jdk_c)) -ge $((${1:-0} * 1000000 + ${2:-0} * 1000 + ${3:-0})) ]
}

# find_jdk LOWEST: sets jdk_home and jdk_version to the first JDK that fits: JAVA_HOME, then PATH, then installed JDKs.
find_jdk() {
  jdk_home=
  if [ -n "${JAVA_HOME:-}" ] && jdk_fits "$JAVA_HOME" "$1"; then
    jdk_home=$JAVA_HOME
    return 0
  fi
  if jdk_on_path=$(command -v java); then
    jdk_on_path=$(readlink -f "$jdk_on_path" 2>/dev/null) || jdk_on_path=
    if jdk_fits "${jdk_on_path%/bin/java}" "$1"; then
      jdk_home=${jdk_on_path%/bin/java}
      return 0
    fi
  fi
  for jdk_folder in \
    /usr/lib/jvm/* /usr/java/* /opt/java/* /opt/jdk* \
    /Library/Java/JavaVirtualMachines/*/Contents/Home \
    /opt/homebrew/opt/openjdk*/libexec/openjdk.jdk/Contents/Home \
    /usr/local/opt/openjdk*/libexec/openjdk.jdk/Contents/Home \
    "${HOME:-}"/Library/Java/JavaVirtualMachines/*/Contents/Home \
    "${SDKMAN_DIR:-${HOME:-}/.sdkman}"/candidates/java/* \
    "${HOME:-}"/.jdks/*; do
    if jdk_fits "$jdk_folder" "$1"; then
      jdk_home=$jdk_folder
      return 0
    fi
  done
  return 1
}

jdk_to_build=25.0.3
jdk_to_run=21
no_jdk="millrace: no JDK $jdk_to_build or later was found. Install one (Debian: apt install openjdk-25-jdk, macOS: brew install openjdk, SDKMAN: sdk install java) or set JAVA_HOME."

case ${0##*/} in
  find-jdk.sh)
    if find_jdk "$jdk_to_build"; then
      echo "$jdk_home"
    else
      echo "$no_jdk" >&2
      exit 1
    fi
    ;;
esac
