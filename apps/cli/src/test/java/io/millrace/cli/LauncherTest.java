// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests the launcher in a tree of stub scripts: a {@code java} that prints its arguments, and a {@code mvnw} that
 * creates a jar.
 */
class LauncherTest {

    private static final Path REPOSITORY = Path.of("../..");

    @TempDir
    Path folder;

    /** Has a space in its name, because the launcher must quote paths. */
    private Path home;

    private final Map<String, String> environment = new HashMap<>();
    private Path jar;
    private Path cache;

    @BeforeEach
    void createTree() throws IOException {
        home = folder.resolve("the home");
        jar = home.resolve("apps/cli/target/millrace-cli.jar");
        cache = home.resolve("apps/cli/target/launcher-25.0.3.aot");
        script("millrace", Files.readString(REPOSITORY.resolve("millrace")));
        script(".mvn/find-jdk.sh", Files.readString(REPOSITORY.resolve(".mvn/find-jdk.sh")));
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
                echo jar >apps/cli/target/millrace-cli.jar
                """);
    }

    @Test
    void firstStartBuildsTheJarAndSecondStartDoesNot() throws Exception {
        LaunchResult first = launch("--version").await();
        LaunchResult second = launch("--version").await();

        assertThat(first.exit()).as(first.output()).isZero();
        assertThat(first.output())
                .contains("millrace: building", "-XX:AOTCache=" + cache, "io.millrace.cli.Millrace|--version");
        assertThat(second.output()).hasLineCount(1).contains("-XX:AOTCache=" + cache, "-cp|" + jar);
        assertThat(home.resolve("builds")).hasContent("build");
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
                echo jar >apps/cli/target/millrace-cli.jar
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
        // Folders with the names of the cache files prevent the creation of the files, even by root.
        Files.createDirectories(jar.getParent());
        Files.createFile(jar);
        Files.createDirectories(cache.resolve("taken"));
        Files.createDirectories(Path.of(cache + ".none/taken"));

        LaunchResult launchResult = launch("--version").await();

        assertThat(launchResult.exit()).as(launchResult.output()).isZero();
        assertThat(launchResult.output())
                .contains("io.millrace.cli.Millrace|--version")
                .doesNotContain("-XX:AOTCache=");
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

    /** Sets a PATH with the commands that the scripts use, but without {@code flock}. */
    private void hideFlock() throws IOException {
        Path tools = Files.createDirectories(home.resolve("tools"));
        for (String tool : List.of("cat", "find", "mkdir", "mv", "readlink", "rm", "sh", "sleep", "touch")) {
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
