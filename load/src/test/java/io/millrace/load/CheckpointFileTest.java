// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.load.target.PlanException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckpointFileTest {

    @TempDir
    private Path folder;

    private Path path;

    @BeforeEach
    void writeTwoPositions() {
        path = folder.resolve("shop.checkpoint");
        try (CheckpointFile file = open()) {
            file.append(Map.of("format", "1", "rows", "0", "digest", "0", "plan.source", "täglich \"a\".csv"));
            file.append(new CheckpointPosition(1_024, -7), OptionalLong.of(1_000));
            file.append(new CheckpointPosition(2_048, 9), OptionalLong.empty());
        }
    }

    @Test
    void lastPositionIsReadWithThePlan() {
        try (CheckpointFile file = open()) {
            StoredCheckpoint stored = file.stored();

            assertThat(stored.position()).isEqualTo(new CheckpointPosition(2_048, 9));
            assertThat(stored.number(StoredCheckpoint.KEYS)).hasValue(1_000);
            assertThat(CheckpointBinding.in(stored.values()).facts())
                    .containsExactly(Map.entry("source", "täglich \"a\".csv"));
        }
    }

    @Test
    void lineBeforeALineThatAKilledProcessHasLeftIncompleteCounts() throws IOException {
        byte[] complete = Files.readAllBytes(path);
        byte[] next = CheckpointLines.line(Map.of("rows", "4096", "digest", "5"));
        for (int length = 0; length < next.length; length++) {
            Files.write(path, complete);
            Files.write(path, java.util.Arrays.copyOf(next, length), StandardOpenOption.APPEND);

            try (CheckpointFile file = open()) {
                assertThat(file.stored().position().rows()).isEqualTo(2_048);
                file.append(new CheckpointPosition(3_072, 1), OptionalLong.empty());
            }
            try (CheckpointFile file = open()) {
                assertThat(file.stored().position()).isEqualTo(new CheckpointPosition(3_072, 1));
            }
        }
    }

    @Test
    void fileThatAnotherLoadUsesIsRefused() {
        try (CheckpointFile ignored = open()) {
            assertThatThrownBy(this::open)
                    .isInstanceOf(PlanException.class)
                    .hasMessageContaining("another load uses the checkpoint: path=" + path);
        }
    }

    @Test
    void linesOfRowsThatAreReadAgainAreRemovedFromTheRejectsFile() throws IOException {
        Path rejects = folder.resolve("rejects.jsonl");
        String kept = """
                {"source":"a","number":3,"reason":"empty-key","message":"m","attempt":1,"row":{"number":900}}
                {"source":"a","number":1,"reason":"server-error","message":"m","attempt":1,"row":{"id":[1]}}
                """;
        Files.writeString(rejects, kept + """
                {"source":"a","number":4,"reason":"empty-key","message":"m","attempt":1,"row":{"number":1}}
                {"source":"a","number":2,"lastNumber":9,"reason":"unconfirmed","message":"m","attempt":1}
                {"source":"a","number":2,"rea""");

        RejectsTail.drop(rejects, 3);

        assertThat(rejects).hasContent(kept);
        assertThat(folder).isDirectoryNotContaining("glob:**.tmp");
    }

    private CheckpointFile open() {
        return CheckpointFile.open(path, CheckpointStep.Listener.NONE);
    }
}
