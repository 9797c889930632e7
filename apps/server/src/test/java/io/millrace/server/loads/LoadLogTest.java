// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.loads;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LoadLogTest {

    private static final Instant NOON = Instant.parse("2026-11-22T12:00:00Z");

    @TempDir
    private Path folder;

    private static LoadRecord started(long id) {
        return LoadRecord.started(id, "job", LoadRequest.UNCHANGED, NOON);
    }

    private static LoadRecord ended(long id, List<String> rejects) {
        return new LoadRecord(id, "job", NOON, null, false, null, NOON.plusSeconds(1), "ok", 0, null, null, rejects);
    }

    @Test
    void loadsSurviveARestart() {
        try (LoadLog log = LoadLog.open(folder)) {
            assertThat(log.nextId()).isEqualTo(1);
            log.add(started(1));
            log.add(ended(1, List.of("{\"row\":1}")));
            log.add(started(2));
            log.add(ended(2, List.of()));
        }

        try (LoadLog log = LoadLog.open(folder)) {
            assertThat(log.newestFirst()).extracting(LoadRecord::id).containsExactly(2L, 1L);
            assertThat(log.find(1)).contains(ended(1, List.of("{\"row\":1}")));
            assertThat(log.nextId()).isEqualTo(3);
        }
    }

    @Test
    void loadWithoutAnEndWasCutAndStaysSo() {
        try (LoadLog log = LoadLog.open(folder)) {
            log.add(started(1));
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

    /** A short load may end before the request that started it has written the start. */
    @Test
    void startAfterTheEndChangesNothing() {
        try (LoadLog log = LoadLog.open(folder)) {
            log.add(ended(1, List.of()));
            log.add(started(1));
            assertThat(log.find(1).orElseThrow().outcome()).isEqualTo("ok");
        }

        try (LoadLog log = LoadLog.open(folder)) {
            assertThat(log.find(1).orElseThrow().outcome()).isEqualTo("ok");
        }
    }

    @Test
    void incompleteLastLineIsIgnoredAndTheNextLineIsReadable() throws IOException {
        try (LoadLog log = LoadLog.open(folder)) {
            log.add(ended(1, List.of()));
        }
        Files.writeString(folder.resolve("loads.jsonl"), "{\"id\":2,\"job\":\"jo", StandardOpenOption.APPEND);

        try (LoadLog log = LoadLog.open(folder)) {
            assertThat(log.newestFirst()).extracting(LoadRecord::id).containsExactly(1L);
            log.add(ended(2, List.of()));
        }

        try (LoadLog log = LoadLog.open(folder)) {
            assertThat(log.newestFirst()).extracting(LoadRecord::id).containsExactly(2L, 1L);
        }
    }

    @Test
    void oldestOfAThousandLoadsIsForgottenAlsoInTheFile() throws IOException {
        try (LoadLog log = LoadLog.inMemory()) {
            for (int id = 1; id <= LoadLog.LIMIT + 1; id++) {
                log.add(ended(id, List.of()));
            }
            assertThat(log.newestFirst()).hasSize(LoadLog.LIMIT);
            assertThat(log.find(1)).isEmpty();
        }
        StringBuilder lines = new StringBuilder();
        for (int id = 1; id <= 2 * LoadLog.LIMIT + 1; id++) {
            lines.append("{\"id\":")
                    .append(id)
                    .append(",\"job\":\"j\",\"started\":\"2026-11-22T12:00:00Z\",\"outcome\":\"ok\"}\n");
        }
        Files.createDirectories(folder);
        Files.writeString(folder.resolve("loads.jsonl"), lines);

        try (LoadLog log = LoadLog.open(folder)) {
            assertThat(log.newestFirst()).hasSize(LoadLog.LIMIT);
        }

        assertThat(Files.readAllLines(folder.resolve("loads.jsonl"))).hasSize(LoadLog.LIMIT);
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
