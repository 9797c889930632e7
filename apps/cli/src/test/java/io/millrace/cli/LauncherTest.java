// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests the launcher of the source tree, and the launcher of the archive, in a tree of stub scripts: a {@code java} that
 * prints its arguments, and a {@code mvnw} that creates a jar.
 */
class LauncherTest {

    private static final Path REPOSITORY = Path.of("../..");

    @TempDir
    Path folder;

    /** Has a space in its name, because the launcher must quote paths. */
    private Path home;

    private final Map<String, String> environment = new HashMap<>();
    private Path jar;
    private Path cacheFolder;

    @BeforeEach
    void createTree() throws IOException {
        home = folder.resolve("the home");
        jar = home.resolve("apps/cli/target/lib/millrace-cli.jar");
        cacheFolder = home.resolve("apps/cli/target/start-up");
        script("millrace", Files.readString(REPOSITORY.resolve("millrace")));
        script(".mvn/java.sh", Files.readString(REPOSITORY.resolve(".mvn/java.sh")));
        script(".mvn/build-lock.sh", Files.readString(REPOSITORY.resolve(".mvn/build-lock.sh")));
        Files.createDirectories(home.resolve("jdk/bin"));
        Files.writeString(home.resolve("jdk/release"), "JAVA_VERSION=\"25.0.3\"\n");
        script("jdk/bin/javac", "#!/bin/sh\n");
        // A stand-in for java. With -XX:AOTCacheOutput it creates the cache file, as Java does. Without this option it
        // prints its arguments, separated by |.
        script("jdk/bin/java", """
                #!/bin/sh
                for word; do
                  case $word in -XX:AOTCacheOutput=*) echo cache >"${word#*=}"; exit ;; esac
                done
                IFS='|'
                echo "java|$*"
                """);
        script("mvnw", """
                #!/bin/sh
                echo build >>builds
                mkdir -p apps/cli/target/lib
                sleep 0.3
                echo jar >apps/cli/target/lib/millrace-cli.jar
                """);
    }

    @Test
    void firstStartBuildsTheJarAndSecondStartDoesNot() throws Exception {
        Path old = Files.createFile(Files.createDirectories(jar.getParent()).resolve("old-1.0.jar"));
        Path more = Files.createDirectories(home.resolve("apps/cli/target/lib-more"));
        LaunchResult first = launch("--version").await();
        LaunchResult second = launch("--version").await();

        assertThat(first.exit()).as(first.output()).isZero();
        assertThat(first.output())
                .contains("millrace: building", "-XX:AOTCache=" + cacheFolder, "io.millrace.cli.Millrace|--version");
        assertThat(second.output()).hasLineCount(1).contains("-XX:AOTCache=" + cacheFolder, "-cp|" + jar);
        assertThat(home.resolve("builds")).hasContent("build");
        assertThat(old).as("a jar of an earlier build").doesNotExist();
        assertThat(more).as("another folder of jars of an earlier build").doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void concurrentFirstStartsBuildTheJarOnce(boolean flock) throws Exception {
        if (!flock) {
            hideFlock();
        }

        List<Launch> launches =
                IntStream.range(0, 3).mapToObj(i -> launch("--version")).toList();

        for (Launch launch : launches) {
            LaunchResult launchResult = launch.await();
            assertThat(launchResult.exit()).as(launchResult.output()).isZero();
            assertThat(launchResult.output()).contains("io.millrace.cli.Millrace|--version");
        }
        assertThat(home.resolve("builds")).hasContent("build");
        assertThat(lockFolder()).doesNotExist();
    }

    @Test
    void lockOfAnEndedProcessIsRemoved() throws Exception {
        hideFlock();
        Process gone = new ProcessBuilder("true").start();
        gone.waitFor();
        Files.createDirectories(lockFolder());
        Files.writeString(lockFolder().resolve("pid"), gone.pid() + "\n");

        LaunchResult launchResult = launch("--version").await();

        assertThat(launchResult.exit()).as(launchResult.output()).isZero();
        assertThat(launchResult.output())
                .contains("io.millrace.cli.Millrace|--version")
                .doesNotContain("waiting for");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void launcherWaitsForARunningBuildAndUsesItsJar(boolean flock) throws Exception {
        if (!flock) {
            hideFlock();
        }
        Process build = start("/bin/sh", "-c", """
                set -eu
                . ./.mvn/build-lock.sh
                take_build_lock "$(pwd -P)"
                echo locked
                read line
                mkdir -p apps/cli/target/lib
                echo jar >apps/cli/target/lib/millrace-cli.jar
                """);
        assertThat(build.inputReader().readLine()).isEqualTo("locked");

        Launch launch = launch("--version");
        assertThat(launch.process().inputReader().readLine())
                .startsWith("millrace: waiting for another build or test run in " + home.toRealPath());
        build.outputWriter().append("end\n").flush();

        assertThat(launch.process().inputReader().readLine()).contains("io.millrace.cli.Millrace|--version");
        assertThat(launch.process().waitFor(200, TimeUnit.SECONDS)).isTrue();
        assertThat(build.waitFor(200, TimeUnit.SECONDS)).isTrue();
        assertThat(home.resolve("builds")).doesNotExist();
    }

    @ParameterizedTest
    @CsvSource({"C, C.UTF-8", "POSIX, C.UTF-8", "'', C.UTF-8", "en_GB.UTF-8, en_GB.UTF-8"})
    void launcherReplacesTheCLocale(String locale, String expected) throws Exception {
        script("jdk/bin/java", "#!/bin/sh\necho \"locale=$LC_ALL\"\n");
        environment.putAll(Map.of("LC_ALL", locale, "LC_CTYPE", "", "LANG", ""));

        LaunchResult launchResult = launch("--version").await();

        assertThat(launchResult.output()).contains("locale=" + expected + "\n");
    }

    @Test
    void launcherThatIsStartedByABuildUsesTheExistingJar() throws Exception {
        Files.createDirectories(home.resolve("apps/cli/target/lib"));
        Files.createFile(jar);
        Files.setLastModifiedTime(jar, FileTime.from(Instant.EPOCH));
        script("pom.xml", "<project/>");
        environment.put("MILLRACE_BUILD_LOCK", home.toRealPath().toString());

        LaunchResult launchResult = launch("--version").await();

        assertThat(launchResult.output())
                .contains("io.millrace.cli.Millrace|--version")
                .doesNotContain("building");
    }

    @Test
    void launcherStartsEvenIfTheCacheCannotBeWritten() throws Exception {
        // A file with the name of the folder prevents the creation of the folder, even by root.
        Files.createDirectories(jar.getParent());
        Files.createFile(jar);
        Files.createFile(cacheFolder);

        LaunchResult launchResult = launch("--version").await();

        assertThat(launchResult.exit()).as(launchResult.output()).isZero();
        assertThat(launchResult.output().lines())
                .hasSize(2)
                .first(STRING)
                .isEqualTo(
                        "millrace: starting without a start-up cache: cannot write to " + cacheFolder
                                + ", or it belongs to another user. MILLRACE_CACHE names another folder; 'none' turns the cache off.");
        assertThat(launchResult.output())
                .contains("io.millrace.cli.Millrace|--version")
                .doesNotContain("-XX:AOTCache=");
    }

    @Test
    void cacheThatJavaDoesNotAcceptIsDeletedAndNotMadeAgain() throws Exception {
        createArchive();
        script("jdk/bin/java", """
                #!/bin/sh
                echo start >>starts
                for word; do
                  case $word in
                    -XX:AOTCacheOutput=*) echo half >"${word#*=}"; exit 1 ;;
                    -XX:AOTMode=on) exit 1 ;;
                  esac
                done
                """);

        LaunchResult first = launchArchive().await();
        LaunchResult second = launchArchive().await();

        assertThat(first.output()).hasLineCount(1).contains("(is the disk full?)", "delete ", ".none to try again");
        assertThat(second.output()).isEmpty();
        assertThat(home.resolve("starts")).hasContent("start\nstart\nstart\nstart");
        try (Stream<Path> left = Files.list(folder.resolve("cache/millrace"))) {
            assertThat(left).hasSize(1).allMatch(file -> file.toString().endsWith(".none"));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "21.0.2, -Xshare:dump, SharedArchiveFile, SharedArchiveFile, jsa",
        "25.0.1, -XX:AOTCacheOutput, AOTCacheOutput, AOTCache, aot"
    })
    void archiveStartsWithTheKindOfCacheOfItsJava(
            String version, String marker, String made, String used, String suffix) throws Exception {
        createArchive();
        Files.writeString(home.resolve("jdk/release"), "JAVA_VERSION=\"" + version + "\"\n");
        script("jdk/bin/java", """
                #!/bin/sh
                case $* in
                  *%s*)
                    for word; do
                      case $word in -XX:%s=*) echo cache >"${word#*=}" ;; esac
                    done
                    exit ;;
                esac
                IFS='|'
                echo "java|$*"
                """.formatted(marker, made));
        assertThat(home.resolve("jdk/bin/javac").toFile().delete()).isTrue();

        LaunchResult launchResult = launchArchive("load", "a b.csv").await();

        assertThat(launchResult.exit()).as(launchResult.output()).isZero();
        assertThat(launchResult.output())
                .hasLineCount(1)
                .containsPattern("-XX:" + used + "="
                        + Pattern.quote(
                                folder.resolve("cache/millrace/millrace-").toString()) + "\\d+\\." + suffix)
                .endsWith("io.millrace.cli.Millrace|load|a b.csv\n");
    }

    @Test
    void archiveStartsWithoutCacheIfTheUserTurnsTheCacheOff() throws Exception {
        createArchive();
        environment.put("MILLRACE_CACHE", "none");

        LaunchResult launchResult = launchArchive("--version").await();

        assertThat(launchResult.output()).hasLineCount(1).doesNotContain("-XX:AOTCache");
        assertThat(folder.resolve("cache")).doesNotExist();
    }

    @Test
    void missingJavaIsReportedInOneLineWithTheJavaThatWasFound() throws Exception {
        createArchive();
        Files.writeString(home.resolve("jdk/release"), "JAVA_VERSION=\"17.0.9\"\n");
        hideInstalledJava();

        LaunchResult old = launchArchive("--version").await();
        environment.put("JAVA_HOME", "");
        LaunchResult none = launchArchive("--version").await();

        assertThat(old.exit()).isEqualTo(1);
        assertThat(old.output())
                .hasLineCount(1)
                .startsWith("millrace: Java 21 or later is needed, and Java 17.0.9 in " + home.resolve("jdk")
                        + " was found.");
        assertThat(none.exit()).isEqualTo(1);
        assertThat(none.output())
                .hasLineCount(1)
                .startsWith("millrace: Java 21 or later is needed, and no Java was found. Install one");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void failedBuildIsReportedAndReleasesTheLock(boolean flock) throws Exception {
        if (!flock) {
            hideFlock();
        }
        script("mvnw", "#!/bin/sh\necho no luck\nexit 1\n");

        LaunchResult launchResult = launch("--version").await();

        assertThat(launchResult.exit()).isEqualTo(1);
        assertThat(launchResult.output()).contains("no luck", "millrace: the build failed");
        assertThat(lockFolder()).doesNotExist();
        assertThat(launch("--version").await().output()).doesNotContain("waiting for");
    }

    @Test
    void serveBuildsAndStartsTheServerWithALimitOfItsHeap() throws Exception {
        script("mvnw", """
                #!/bin/sh
                echo "$*" >>builds
                mkdir -p apps/server/target/lib
                echo jar >apps/server/target/lib/millrace-server.jar
                """);

        LaunchResult first = launch("serve", "--demo").await();
        environment.put("JAVA_TOOL_OPTIONS", "-Xmx512m");
        LaunchResult second = launch("serve", "--demo").await();
        environment.put("MILLRACE_CACHE", "none");
        LaunchResult third = launch("serve", "--demo").await();

        assertThat(first.output()).contains("-Xmx256m", "server/target/start-up", "io.millrace.server.Server|--demo");
        assertThat(second.output())
                .contains("server/target/start-up", "io.millrace.server.Server|--demo")
                .doesNotContain("-Xmx256m");
        assertThat(third.output()).contains("io.millrace.server.Server|--demo").doesNotContain("start-up");
        assertThat(Files.readString(home.resolve("builds"))).hasLineCount(1).contains("-pl apps/server -am");
    }

    private record LaunchResult(int exit, String output) {}

    private record Launch(Process process) {

        LaunchResult await() throws Exception {
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor(200, TimeUnit.SECONDS)).isTrue();
            return new LaunchResult(process.exitValue(), output);
        }
    }

    private Launch launch(String... args) {
        try {
            return new Launch(start(CliRun.args(List.of(home.resolve("millrace").toString()), args)));
        } catch (IOException failed) {
            throw new AssertionError(failed);
        }
    }

    private Process start(String... command) throws IOException {
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(home.toFile()).redirectErrorStream(true);
        builder.environment().put("JAVA_HOME", home.resolve("jdk").toString());
        builder.environment().putAll(environment);
        return builder.start();
    }

    /** Creates the launcher of the archive and its jar. */
    private void createArchive() throws IOException {
        script("bin/millrace", Files.readString(REPOSITORY.resolve("dist/bin/millrace")));
        script("lib/java.sh", Files.readString(REPOSITORY.resolve(".mvn/java.sh")));
        Files.writeString(home.resolve("lib/millrace-cli.jar"), "jar\n");
        environment.put("XDG_CACHE_HOME", folder.resolve("cache").toString());
    }

    private Launch launchArchive(String... args) throws IOException {
        return new Launch(start(CliRun.args(List.of(home.resolve("bin/millrace").toString()), args)));
    }

    /** Removes the folders of installed Javas from the search of {@code lib/java.sh}, and {@code java} from PATH. */
    private void hideInstalledJava() throws IOException {
        hideFlock();
        String search = Files.readString(home.resolve("lib/java.sh"));
        String hidden = search.replaceAll("(?s)for java_folder in .*?; do", "for java_folder in /nowhere; do");
        assertThat(hidden).isNotEqualTo(search);
        Files.writeString(home.resolve("lib/java.sh"), hidden);
    }

    /** Sets a PATH with the commands that the scripts use, but without {@code flock}. */
    private void hideFlock() throws IOException {
        Path tools = Files.createDirectories(home.resolve("tools"));
        for (String tool : List.of(
                "cat", "cksum", "cp", "find", "id", "ls", "mkdir", "mv", "readlink", "rm", "sh", "sleep", "touch")) {
            for (String folder : System.getenv("PATH").split(File.pathSeparator, -1)) {
                Path program = Path.of(folder, tool);
                if (Files.isExecutable(program)) {
                    Files.createSymbolicLink(tools.resolve(tool), program);
                    break;
                }
            }
        }
        environment.put("PATH", tools.toString());
    }

    private Path lockFolder() {
        return home.resolve(".mvn/.build.lock.d");
    }

    private void script(String name, String text) throws IOException {
        Path file = home.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }
}
