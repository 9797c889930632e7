// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.frameworks;

import io.millrace.lab.bulk.Connections;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.Work;
import io.millrace.lab.experiment.WorkContext;
import io.millrace.lab.server.LabException;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Starts {@code ./millrace serve} and waits until the server is ready. The end of the server is not in the figure.
 *
 * @param launcher the launcher of the source tree
 * @param isCached whether the launcher uses its start-up cache
 */
record ServerStart(Path launcher, boolean isCached) implements Work {

    /** Figure: from the start of the launcher to the line that names the address. */
    static final String SECONDS = "startSeconds";

    private static final String READY = "Millrace serves ";

    /** Environment variable that turns the cache of the launcher off. */
    private static final String CACHE = "MILLRACE_CACHE";

    @Override
    public ReadyWork open(WorkContext context) throws IOException, InterruptedException {
        var ready = new Ready(context);
        ready.makeCache();
        return ready;
    }

    private final class Ready implements ReadyWork {

        private final WorkContext context;
        private double seconds;

        Ready(WorkContext context) {
            this.context = context;
        }

        /** The first start builds the server if sources have changed, and makes the cache. */
        void makeCache() throws IOException, InterruptedException {
            Process version = start("--version");
            String output = new String(version.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (version.waitFor() != 0) {
                throw failure("millrace serve --version failed: exit=" + version.exitValue() + ", output=" + output);
            }
            if (isCached && !hasCache()) {
                throw failure("the launcher has made no start-up cache");
            }
        }

        /** The launcher of the source tree keeps the cache with the build, and deletes an older cache. */
        private boolean hasCache() throws IOException {
            Path folder = launcher.resolveSibling(Path.of("apps", "server", "target", "start-up"));
            try (Stream<Path> files = Files.list(folder)) {
                return files.anyMatch(file -> file.toString().matches(".*\\.(aot|jsa)"));
            } catch (NoSuchFileException e) {
                return false;
            }
        }

        @Override
        public long run() throws IOException, InterruptedException {
            long begun = System.nanoTime();
            Process server = start("--port", "0");
            try {
                awaitReady(server);
                seconds = (System.nanoTime() - begun) / 1e9;
            } finally {
                server.destroyForcibly();
                server.waitFor();
            }
            return 1;
        }

        private void awaitReady(Process server) throws IOException, InterruptedException {
            BufferedReader lines = server.inputReader(StandardCharsets.UTF_8);
            String line = lines.readLine();
            while (line != null && !line.startsWith(READY)) {
                line = lines.readLine();
            }
            if (line == null) {
                var unused = server.waitFor(1, TimeUnit.MINUTES);
                throw failure("millrace serve ended before it was ready");
            }
        }

        private Process start(String... arguments) throws IOException {
            var builder = new ProcessBuilder(launcher.toString(), "serve").redirectError(errors().toFile());
            builder.command().addAll(List.of(arguments));
            builder.environment().put("MILLRACE_REDIS_URL", Connections.url(context.target()));
            if (isCached) {
                builder.environment().remove(CACHE);
            } else {
                builder.environment().put(CACHE, "none");
            }
            return builder.start();
        }

        private Path errors() {
            return context.folder().resolve("errors");
        }

        private LabException failure(String what) throws IOException {
            return new LabException(
                    what + ", errors=" + Files.readString(errors()).strip());
        }

        @Override
        public RoundDetails details() {
            return RoundDetails.NONE.withFigure(SECONDS, seconds);
        }

        @Override
        public void close() {}
    }
}
