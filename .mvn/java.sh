# SPDX-License-Identifier: Apache-2.0
#
# Finds Java and starts it with a start-up cache. Sourced by the launchers of the source tree and of the archives. The Makefile
# runs `sh .mvn/java.sh`, which prints the folder of a JDK that can build Millrace.

java_to_run=21
jdk_to_build=25

# find_java LOWEST [javac]: sets java_home and java_version to the first Java of at least version LOWEST: JAVA_HOME, then PATH,
# then installed ones. With `javac`, only a JDK fits. If none fits, java_found describes the Java that was found first.
find_java() {
  java_home= java_found=
  if [ -n "${JAVA_HOME:-}" ] && java_fits "$JAVA_HOME" "$@"; then return 0; fi
  if java_on_path=$(command -v java) && java_on_path=$(readlink -f "$java_on_path" 2>/dev/null); then
    if java_fits "${java_on_path%/bin/java}" "$@"; then return 0; fi
  fi
  for java_folder in \
    /usr/lib/jvm/* /usr/java/* /opt/java/* /opt/jdk* \
    /Library/Java/JavaVirtualMachines/*/Contents/Home \
    /opt/homebrew/opt/openjdk*/libexec/openjdk.jdk/Contents/Home \
    /usr/local/opt/openjdk*/libexec/openjdk.jdk/Contents/Home \
    "${HOME:-}"/Library/Java/JavaVirtualMachines/*/Contents/Home \
    "${SDKMAN_DIR:-${HOME:-}/.sdkman}"/candidates/java/* \
    "${HOME:-}"/.jdks/*; do
    if java_fits "$java_folder" "$@"; then return 0; fi
  done
  return 1
}

# java_fits FOLDER LOWEST [javac]: whether FOLDER has such a Java. Sets java_home and java_version. Reads the file `release` of
# the folder and does not start Java, because that takes longer than the search.
java_fits() {
  [ -r "$1/release" ] && [ -x "$1/bin/java" ] || return 1
  java_version=
  while IFS='=' read -r java_key java_value; do
    if [ "$java_key" = JAVA_VERSION ]; then
      java_value=${java_value#\"}
      java_version=${java_value%%[!0-9.]*}
    fi
  done <"$1/release"
  java_found=${java_found:-"Java ${java_version:-of unknown version} in $1"}
  [ "${java_version%%.*}" -ge "$2" ] 2>/dev/null || return 1
  if [ -n "${3:-}" ] && ! [ -x "$1/bin/$3" ]; then
    java_found="Java $java_version in $1 without $3"
    return 1
  fi
  java_home=$1
}

# report_no_java WHAT HOW: one line that names the missing Java, the Java that was found instead, and the remedy.
report_no_java() {
  echo "millrace: $1 is needed, and ${java_found:-no Java} was found. $2, or set JAVA_HOME." >&2
}

find_java_to_run() {
  find_java "$java_to_run" || {
    report_no_java "Java $java_to_run or later" \
      "Install one (Debian: apt install openjdk-21-jre-headless, macOS: brew install openjdk)"
    return 1
  }
}

find_jdk_to_build() {
  find_java "$jdk_to_build" javac || {
    report_no_java "a JDK $jdk_to_build or later" \
      "Install one (Debian: apt install openjdk-25-jdk, macOS: brew install openjdk, SDKMAN: sdk install java)"
    return 1
  }
}

# start_java CACHE_FOLDER CLASS_PATH MAIN ARGUMENT...: replaces the shell by Java. CLASS_PATH is one jar, which names the others,
# or all jars of a folder (FOLDER/*). With a cache, CLASS_PATH must be one jar. If CACHE_FOLDER is not empty, Java takes loaded and
# linked classes from a cache in this folder, which halves the start-up time. The first start makes the cache. The variable
# java_more_options holds options for Java, if the caller has set it.
start_java() {
  java_cache_folder=$1 java_jar=$2 java_main=$3
  shift 3

  # In the C locale, the default in many containers, Java decodes arguments as ASCII and would change the letters of a key.
  case ${LC_ALL:-${LC_CTYPE:-${LANG:-C}}} in C | POSIX) export LC_ALL=C.UTF-8 ;; esac

  # The command line runs for seconds, mostly in one encoding thread. The serial collector starts fastest and takes the least
  # CPU from a server on the same machine. JVM log lines go to standard error; standard output holds only the result.
  java_options="-XX:+UseSerialGC -Xlog:disable -Xlog:all=error:stderr ${java_more_options:-}"
  if [ "${java_version%%.*}" -ge 22 ]; then java_options="$java_options --enable-native-access=ALL-UNNAMED"; fi

  java_cache_option=
  if [ -n "$java_cache_folder" ]; then find_java_cache; fi
  # shellcheck disable=SC2086 # The variable holds several options.
  exec "$java_home/bin/java" $java_options ${java_cache_option:+"$java_cache_option"} -cp "$java_jar" "$java_main" "$@"
}

# The options of the command line. Its loads compile few methods, and C1 compiles them in a tenth of the time that C2 takes.
use_options_of_the_command_line() {
  java_more_options=-XX:TieredStopAtLevel=1
}

# The options of the server. Its limits keep the heap below 256 MB. JAVA_TOOL_OPTIONS may set another size.
use_options_of_the_server() {
  case ${JAVA_TOOL_OPTIONS:-} in *-Xmx*) ;; *) java_more_options=-Xmx256m ;; esac
}

# Sets java_cache_option to the option for the start-up cache: an AOT cache from Java 25 on, a class data archive before. The
# name of a cache stands for one Java and one set of jars. Java runs the classes of the cache, so a cache of another user is not
# used. Java also works without a cache, so an error ends nothing.
find_java_cache() {
  java_cache_key=$(printf '%s\n' "$java_home $java_version" "$(ls -ln "${java_jar%/*}")" "$java_jar" | cksum)
  java_cache=$java_cache_folder/millrace-${java_cache_key%% *}
  if [ "${java_version%%.*}" -ge 25 ]; then
    java_cache=$java_cache.aot
    java_use_option=-XX:AOTCache java_require_option=-XX:AOTMode=on
  else
    java_cache=$java_cache.jsa
    java_use_option=-XX:SharedArchiveFile java_require_option=-Xshare:on
  fi
  if [ ! -s "$java_cache" ] && [ ! -e "$java_cache.none" ]; then make_java_cache; fi
  if [ -s "$java_cache" ] && [ -O "$java_cache" ]; then java_cache_option=$java_use_option=$java_cache; fi
}

# Makes the cache. A cache that this Java does not accept, for example because the disk was full, is not kept. Caches older than
# 30 days are deleted.
make_java_cache() {
  if ! (umask 077 && mkdir -p "$java_cache_folder") 2>/dev/null || ! [ -O "$java_cache_folder" ] \
    || ! (: >"$java_cache.$$") 2>/dev/null; then
    report_no_cache "cannot write to $java_cache_folder, or it belongs to another user"
    return 0
  fi
  if [ -t 2 ]; then echo "millrace: preparing faster starts (only on first use) ..." >&2; fi
  rm -f "$java_cache.$$"
  train_java_cache </dev/null >/dev/null 2>&1 || true
  # shellcheck disable=SC2086 # The variable holds several options.
  if "$java_home/bin/java" $java_options "$java_require_option" "$java_use_option=$java_cache.$$" -cp "$java_jar" \
    "$java_main" --version >/dev/null 2>&1; then
    mv -f "$java_cache.$$" "$java_cache" || true
    for java_old_cache in "$java_cache_folder"/millrace-[0-9]*.aot* "$java_cache_folder"/millrace-[0-9]*.jsa*; do
      [ -z "$(find "$java_old_cache" -mtime +30 2>/dev/null)" ] || rm -f "$java_old_cache" 2>/dev/null || true
    done
  elif (: >"$java_cache.none") 2>/dev/null; then
    report_no_cache "Java could not make or use $java_cache (is the disk full?); delete $java_cache.none to try again"
  else
    report_no_cache "cannot write to $java_cache_folder (is the disk full?)"
  fi
  rm -f "$java_cache.$$" "$java_cache.$$".* 2>/dev/null || true
}

# Writes a cache to $java_cache.$$. A training run records the classes of a load.
# shellcheck disable=SC2086 # The variable holds several options.
train_java_cache() {
  if [ "${java_version%%.*}" -ge 25 ]; then
    "$java_home/bin/java" $java_options "-XX:AOTCacheOutput=$java_cache.$$" -cp "$java_jar" "${java_main%.*}.StartUpTraining"
  else
    # An archive that contains the classes of Java itself: some Javas, such as those of Alpine, have no archive to build on. Only
    # the collector G1 can write objects into an archive; the serial collector can read them.
    "$java_home/bin/java" $java_options -Xshare:off "-XX:DumpLoadedClassList=$java_cache.$$.list" -cp "$java_jar" \
      "${java_main%.*}.StartUpTraining"
    "$java_home/bin/java" -XX:+UseG1GC -Xshare:dump "-XX:SharedClassListFile=$java_cache.$$.list" \
      "-XX:SharedArchiveFile=$java_cache.$$" -cp "$java_jar"
  fi
}

report_no_cache() {
  echo "millrace: starting without a start-up cache: $1. MILLRACE_CACHE names another folder; 'none' turns the cache off." >&2
}

# user_cache_folder: prints the folder for the start-up caches of this user; nothing if there is no home folder, or if the user
# has turned the cache off.
user_cache_folder() {
  case ${MILLRACE_CACHE:-} in
    none) ;;
    '')
      if [ -n "${XDG_CACHE_HOME:-}" ]; then
        echo "$XDG_CACHE_HOME/millrace"
      elif [ -n "${HOME:-}" ]; then
        echo "$HOME/.cache/millrace"
      fi
      ;;
    *) echo "$MILLRACE_CACHE" ;;
  esac
}

case ${0##*/} in
  java.sh)
    find_jdk_to_build || exit 1
    echo "$java_home"
    ;;
esac
