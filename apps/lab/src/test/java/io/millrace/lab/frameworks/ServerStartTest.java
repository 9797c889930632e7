// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.frameworks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.lab.client.Target;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.WorkContext;
import io.millrace.lab.server.LabException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The measurement of a start, with scripts as the launcher. */
class ServerStartTest {

    private static final String READY = "echo 'a line of the log'; echo 'Millrace serves http://127.0.0.1:1. Stop it.'";

    private final Path tree;
    private final WorkContext context;

    ServerStartTest(@TempDir Path tree) {
        this.tree = tree;
        Target redis = Target.of("127.0.0.1", 6379);
        this.context = new WorkContext(redis, redis, Parameters.DEFAULT, tree);
    }

    /** A launcher that answers {@code --version}, and otherwise runs {@code script}. */
    private Path launcher(String script) throws IOException {
        Path launcher = Files.writeString(
                tree.resolve("millrace"), "#!/bin/sh\n[ \"$2\" = --version ] && exit\n" + script + "\n");
        return Files.setPosixFilePermissions(launcher, PosixFilePermissions.fromString("rwx------"));
    }

    @Test
    void startEndsWithTheLineThatNamesTheAddressAndTheServerIsKilled() throws Exception {
        Path launcher = launcher("echo $$ >\"${0%/*}/pid\"; " + READY + "; exec sleep 600");
        try (var ready = new ServerStart(launcher, false).open(context)) {

            long starts = ready.run();

            long pid = Long.parseLong(Files.readString(tree.resolve("pid")).strip());
            assertThat(starts).isOne();
            assertThat(ready.details().figures().get(ServerStart.SECONDS)).isPositive();
            assertThat(ProcessHandle.of(pid).filter(ProcessHandle::isAlive)).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({"false, none", "true, unset"})
    void launcherIsToldToUseTheCacheOrNot(boolean isCached, String variable) throws Exception {
        Path caches = Files.createDirectories(tree.resolve("apps/server/target/start-up"));
        Files.createFile(caches.resolve("millrace-1.aot"));
        Path launcher = launcher("echo \"${MILLRACE_CACHE-unset} $MILLRACE_REDIS_URL\" >\"${0%/*}/seen\"; " + READY);
        try (var ready = new ServerStart(launcher, isCached).open(context)) {

            var unused = ready.run();

            assertThat(tree.resolve("seen")).content().isEqualTo(variable + " redis://127.0.0.1:6379/0\n");
        }
    }

    @Test
    void serverThatEndsBeforeItIsReadyFails() throws Exception {
        Path launcher = launcher("echo 'Starting'; echo 'the port is in use' >&2; exit 1");
        try (var ready = new ServerStart(launcher, false).open(context)) {

            assertThatThrownBy(ready::run)
                    .isInstanceOf(LabException.class)
                    .hasMessage("millrace serve ended before it was ready, errors=the port is in use");
        }
    }

    @Test
    void launcherThatMakesNoCacheFails() throws Exception {
        Path launcher = launcher(READY);

        assertThatThrownBy(() -> new ServerStart(launcher, true).open(context))
                .isInstanceOf(LabException.class)
                .hasMessageContaining("the launcher has made no start-up cache");
    }
}
