// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The launcher in a source tree of scripts: a JDK whose java says what it is started with, and a Maven that makes a jar. */
class LauncherTest {

    private static final Path REPOSITORY = Path.of("../..");

    @TempDir
    Path home;

    private Path jar;
    private Path cache;

    @BeforeEach
    void aTree() throws IOException {
        jar = home.resolve("apps/cli/target/millrace-cli.jar");
        cache = home.resolve("apps/cli/target/launcher-25.0.3.aot");
        script("millrace", Files.readString(REPOSITORY.resolve("millrace")));
        script(".mvn/find-jdk.sh", Files.readString(REPOSITORY.resolve(".mvn/find-jdk.sh")));
        Files.createDirectories(home.resolve("jdk/bin"));
        Files.writeString(home.resolve("jdk/release"), "JAVA_VERSION=\"25.0.3\"\n");
        script("jdk/bin/javac", "#!/bin/sh\n");
        // Makes the cache it is asked for, as Java does.
        script("jdk/bin/java", """
                #!/bin/sh
                for word; do
                  case $word in -XX:AOTCacheOutput=*) echo cache >"${word#*=}"; exit ;; esac
                done
                echo "java $*"
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
    void theFirstUseBuildsAndTheSecondDoesNot() throws Exception {
        Ended first = launch("--version").await();
        Ended second = launch("--version").await();

        assertThat(first.exit()).as(first.output()).isZero();
        assertThat(first.output())
                .contains("millrace: building", "-XX:AOTCache=" + cache, "io.millrace.cli.Millrace --version");
        assertThat(second.output()).hasLineCount(1).contains("-XX:AOTCache=" + cache, "-cp " + jar);
        assertThat(home.resolve("builds")).hasContent("build");
    }

    @Test
    void firstUsesAtOnceBuildOnce() throws Exception {
        List<Launch> launches =
                IntStream.range(0, 3).mapToObj(i -> launch("--version")).toList();

        for (Launch launch : launches) {
            Ended ended = launch.await();
            assertThat(ended.exit()).as(ended.output()).isZero();
            assertThat(ended.output()).contains("io.millrace.cli.Millrace --version");
        }
        assertThat(home.resolve("builds")).hasContent("build");
        assertThat(home.resolve(".mvn/.launcher.lock")).doesNotExist();
    }

    @Test
    void aLockWhoseHolderIsGoneIsTakenAway() throws Exception {
        Process gone = new ProcessBuilder("true").start();
        gone.waitFor();
        Files.createDirectories(home.resolve(".mvn/.launcher.lock"));
        Files.writeString(home.resolve(".mvn/.launcher.lock/pid"), gone.pid() + "\n");

        Ended ended = launch("--version").await();

        assertThat(ended.exit()).as(ended.output()).isZero();
        assertThat(ended.output()).contains("io.millrace.cli.Millrace --version");
    }

    @Test
    void withoutAPlaceForItsCacheItStartsAllTheSame() throws Exception {
        // No file can be made under these names, whoever asks.
        Files.createDirectories(jar.getParent());
        Files.createFile(jar);
        Files.createDirectories(cache.resolve("taken"));
        Files.createDirectories(Path.of(cache + ".none/taken"));

        Ended ended = launch("--version").await();

        assertThat(ended.exit()).as(ended.output()).isZero();
        assertThat(ended.output())
                .contains("io.millrace.cli.Millrace --version")
                .doesNotContain("-XX:AOTCache=");
    }

    @Test
    void aFailedBuildIsSaidAndLeavesNoLock() throws Exception {
        script("mvnw", "#!/bin/sh\necho no luck\nexit 1\n");

        Ended ended = launch("--version").await();

        assertThat(ended.exit()).isEqualTo(1);
        assertThat(ended.output()).contains("no luck", "millrace: the build failed");
        assertThat(home.resolve(".mvn/.launcher.lock")).doesNotExist();
    }

    private record Ended(int exit, String output) {}

    private record Launch(Process process) {

        Ended await() throws Exception {
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
            return new Ended(process.exitValue(), output);
        }
    }

    private Launch launch(String... args) {
        try {
            ProcessBuilder builder = new ProcessBuilder(
                            Run.args(List.of(home.resolve("millrace").toString()), args))
                    .redirectErrorStream(true);
            builder.environment().put("JAVA_HOME", home.resolve("jdk").toString());
            return new Launch(builder.start());
        } catch (IOException failed) {
            throw new AssertionError(failed);
        }
    }

    private void script(String name, String text) throws IOException {
        Path file = home.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }
}
