// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.loads;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

class LoadLogTest {

    private static final LoadDetails SMALL = LargeLoads.details(1, 0);

    @TempDir
    private Path folder;

    private static LoadRecord started(long id) {
        return LargeLoads.started(id);
    }

    private static LoadRecord ended(long id) {
        return LargeLoads.ended(id);
    }

    private static void addEnded(LoadLog log, long id) {
        log.add(ended(id), SMALL);
    }

    private Path file() {
        return folder.resolve(LogFile.NAME);
    }

    private static List<Long> ids(LoadLog log) {
        return log.newestFirst().stream().map(LoadRecord::id).toList();
    }

    @Test
    void loadsSurviveARestart() {
        try (LoadLog log = LoadLog.open(folder)) {
            assertThat(log.newId()).isEqualTo(1);
            log.add(started(1), LoadDetails.NONE);
            addEnded(log, 1);
            assertThat(log.newId()).isEqualTo(2);
            log.add(started(2), LoadDetails.NONE);
            addEnded(log, 2);
        }

        try (LoadLog log = LoadLog.open(folder)) {
            assertThat(ids(log)).containsExactly(2L, 1L);
            assertThat(log.find(1)).contains(ended(1));
            assertThat(log.details(1)).contains(SMALL);
            assertThat(log.newId()).isEqualTo(3);
        }
    }

    @Test
    void loadWithoutAnEndWasCutAndStaysSo() {
        try (LoadLog log = LoadLog.open(folder)) {
            log.add(started(1), LoadDetails.NONE);
        }

        for (int i = 0; i < 2; i++) {
            try (LoadLog log = LoadLog.open(folder)) {
                LoadRecord cut = log.find(1).orElseThrow();
                assertThat(cut.outcome()).isEqualTo("cut");
                assertThat(cut.hasEnded()).isTrue();
                assertThat(cut.ended()).isNull();
                assertThat(cut.problem()).contains("Rows may have been written");
            }
        }
    }

    /** A write was interrupted by the end of the process, or has failed because the disk was full. */
    @ParameterizedTest
    @ValueSource(strings = {"{\"id\":2,\"job\":\"jo", "{}", "nonsense\n", "\n"})
    void rubbishAtTheEndIsRemovedAndTheNextLineIsReadable(String rubbish) throws IOException {
        try (LoadLog log = LoadLog.open(folder)) {
            addEnded(log, 1);
        }
        Files.writeString(file(), rubbish, StandardOpenOption.APPEND);

        try (LoadLog log = LoadLog.open(folder)) {
            assertThat(ids(log)).containsExactly(1L);
            addEnded(log, 2);
        }

        try (LoadLog log = LoadLog.open(folder)) {
            assertThat(ids(log)).containsExactly(2L, 1L);
            assertThat(log.details(2)).contains(SMALL);
        }
    }

    @Test
    void completeLineWithoutALineEndIsKept() throws IOException {
        try (LoadLog log = LoadLog.open(folder)) {
            addEnded(log, 1);
            addEnded(log, 2);
        }
        String text = Files.readString(file());
        Files.writeString(file(), text.substring(0, text.length() - 1));

        try (LoadLog log = LoadLog.open(folder)) {
            assertThat(log.details(2)).contains(SMALL);
            addEnded(log, 3);
        }

        try (LoadLog log = LoadLog.open(folder)) {
            assertThat(ids(log)).containsExactly(3L, 2L, 1L);
        }
    }

    /** The part of a line that a failed write has left would be glued to the next line. */
    @Test
    void partOfALineThatAFailedWriteHasLeftIsRemovedByTheNextWrite() throws IOException {
        try (LoadLog log = LoadLog.open(folder)) {
            addEnded(log, 1);
            Files.writeString(file(), "{\"id\":2,\"job\":\"jo", StandardOpenOption.APPEND);
            addEnded(log, 3);
        }

        assertThat(Files.readAllLines(file())).hasSize(2);
        try (LoadLog log = LoadLog.open(folder)) {
            assertThat(ids(log)).containsExactly(3L, 1L);
        }
    }

    /** The thread of a load is interrupted when the load is stopped. */
    @Test
    void interruptedThreadWritesItsLineAndTheLaterOnes() {
        try (LoadLog log = LoadLog.open(folder)) {
            Thread.currentThread().interrupt();
            addEnded(log, 1);
            assertThat(Thread.interrupted()).isTrue();
            addEnded(log, 2);
            assertThat(log.details(1)).contains(SMALL);
        }

        try (LoadLog log = LoadLog.open(folder)) {
            assertThat(ids(log)).containsExactly(2L, 1L);
        }
    }

    @Test
    void loadThatEndedFirstIsForgottenAndARunningOneNever() {
        try (LoadLog log = LoadLog.inMemory()) {
            log.add(started(1), LoadDetails.NONE);
            for (int id = 2; id <= LoadLog.LIMIT + 2; id++) {
                addEnded(log, id);
            }
            assertThat(log.newestFirst()).hasSize(LoadLog.LIMIT);
            assertThat(log.find(2)).isEmpty();
            assertThat(log.find(1)).contains(started(1));

            addEnded(log, 1);
            addEnded(log, LoadLog.LIMIT + 3);

            assertThat(log.find(1)).contains(ended(1));
            assertThat(log.details(1)).contains(SMALL);
        }
    }

    @Test
    void oldestOfAThousandLoadsIsForgottenAlsoInTheFile() throws IOException {
        StringBuilder lines = new StringBuilder();
        for (int id = 1; id <= 2 * LoadLog.LIMIT + 1; id++) {
            lines.append("{\"id\":")
                    .append(id)
                    .append(",\"job\":\"j\",\"started\":\"2026-11-22T12:00:00Z\",\"outcome\":\"ok\"}\n");
        }
        Files.writeString(file(), lines);

        try (LoadLog log = LoadLog.open(folder)) {
            assertThat(log.newestFirst()).hasSize(LoadLog.LIMIT);
            addEnded(log, 5_000);
            assertThat(log.details(5_000)).contains(SMALL);
            assertThat(log.details(2 * LoadLog.LIMIT)).contains(LoadDetails.NONE);
        }

        assertThat(Files.readAllLines(file())).hasSize(LoadLog.LIMIT + 1);
    }

    @Test
    void longLineIsCutAndTheReportSaysWhatIsMissing() throws IOException {
        try (LoadLog log = LoadLog.open(folder)) {
            log.add(ended(1), LargeLoads.details(1_000, 1_000));
            LoadDetails kept = log.details(1).orElseThrow();

            assertThat(Files.size(file())).isBetween(16L * 1024, (long) LogLine.MAX_BYTES);
            JsonNode report = Objects.requireNonNull(kept.report());
            JsonNode omitted = report.get("omitted");
            assertThat(kept.rejects().size() + omitted.get("rejects").asInt()).isEqualTo(1_000);
            assertThat(report.get("unconfirmedRows").size()
                            + omitted.get("unconfirmedRows").asInt())
                    .isEqualTo(1_000);
        }
    }

    /** Without a folder, reports take memory. */
    @Test
    void memoryKeepsTheNewestReportsOnly() {
        try (LoadLog log = LoadLog.inMemory()) {
            LoadDetails large = LargeLoads.details(150, 0);
            int loads = (int) (2 * LoadLog.MEMORY_BYTES / LogLine.of(ended(1), large).length);
            for (int id = 1; id <= loads; id++) {
                log.add(ended(id), large);
            }

            assertThat(log.details(1)).isEmpty();
            assertThat(log.details(loads / 3)).isEmpty();
            assertThat(log.details(loads * 2L / 3)).contains(large);
            assertThat(log.find(1)).contains(ended(1));
        }
    }

    /** A process with a small heap: in memory, the reports would take hundreds of megabytes. */
    @Test
    void thousandLargestLoadsFitIntoTheFileAndIntoASmallHeap() throws Exception {
        Path output = folder.resolve("output");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Xmx24m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        LargeLoads.class.getName(),
                        folder.resolve("data").toString())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(process.waitFor(4, TimeUnit.MINUTES)).isTrue();
        } finally {
            process.destroyForcibly();
        }

        assertThat(Files.readString(output, StandardCharsets.UTF_8))
                .endsWith("kept 1000 of " + LargeLoads.LOADS + "\n");
        assertThat(process.exitValue()).isZero();
        assertThat(Files.size(folder.resolve("data").resolve(LogFile.NAME)))
                .isBetween(LogFile.MAX_BYTES / 2, LogFile.MAX_BYTES);
    }

    /** An abandoned run may end after the end of the server. Another server may have the folder then. */
    @Test
    void lineAfterTheEndOfTheLogDoesNotChangeTheFile() throws IOException {
        LoadLog log = LoadLog.open(folder);
        addEnded(log, 1);
        String lines = Files.readString(file());
        log.close();

        addEnded(log, 2);

        assertThat(Files.readString(file())).isEqualTo(lines);
        assertThat(log.details(1)).isEmpty();
    }

    @Test
    void folderBelongsToOneServer() {
        try (LoadLog log = LoadLog.open(folder)) {
            assertThat(log.newestFirst()).isEmpty();
            assertThatThrownBy(() -> LoadLog.open(folder))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("another server");
        }
    }
}
