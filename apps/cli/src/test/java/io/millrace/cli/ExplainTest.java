// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests {@code --explain}. No server listens on the given port, because {@code --explain} does not contact Redis. */
class ExplainTest {

    @TempDir
    Path folder;

    private Path shop;

    @BeforeEach
    void createFile() throws IOException {
        shop = Files.writeString(folder.resolve("shop.csv"), "id,name\n1,Ada Lovelace\n2\n3,Zoë\n4,never shown\n");
    }

    @Test
    void firstRowsAreShownAsCommandsAndRejections() {
        CliRun run = explain("--key", "c:{id}", "--as", "hash");

        assertThat(run.out().lines())
                .satisfiesExactly(
                        line -> assertThat(line).isEqualTo("HSET c:1 id 1 name \"Ada Lovelace\""),
                        line -> assertThat(line).startsWith("# rejected: " + shop + ":3: too-few-fields: "),
                        line -> assertThat(line).isEqualTo("HSET c:3 id 3 name Zoë"));
        assertThat(run.err()).isEmpty();
        assertThat(run.code()).isZero();
    }

    @Test
    void expiryIsPartOfTheCommandThatWritesTheRow() {
        CliRun run = explain("--key", "c:{id}", "--as", "string", "--value", "name", "--ttl", "1h", "--limit", "1");

        assertThat(run.out().lines())
                .containsExactly(
                        "SET c:1 \"Ada Lovelace\" PX 3600000",
                        "# adjacent rows become one MSETEX if the server has this command (Redis 8.4, Valkey 9.1);"
                                + " with --no-fusion each row is a separate command");
    }

    @Test
    void restoreIsNamedForHashesThatNeedAScriptOtherwise() {
        String restored =
                "# if the server has Redis 7.0 or later, or Valkey, rows are written with RESTORE where possible";

        assertThat(explain("--key", "c:{id}", "--as", "hash", "--ttl", "1h").out())
                .contains(restored);
        assertThat(explain("--key", "c:{id}", "--as", "hash", "--replace-row").out())
                .contains(restored);
        assertThat(explain("--key", "c:{id}", "--as", "hash").out()).doesNotContain("RESTORE");
    }

    @Test
    void explainDescribesFusionUnlessFusionIsTurnedOff() {
        CliRun strings = explain("--key", "c:{id}", "--as", "string", "--value", "name");
        CliRun fields = explain("--key", "all", "--as", "hash", "--field", "{id}");
        CliRun apart = explain("--key", "c:{id}", "--as", "string", "--value", "name", "--no-fusion");

        assertThat(strings.lastLine())
                .isEqualTo("# adjacent rows become one MSET; with --no-fusion each row is a separate command");
        assertThat(fields.lastLine())
                .isEqualTo("# adjacent rows of one key become one HSET;"
                        + " with --no-fusion each row is a separate command");
        assertThat(apart.lastLine()).startsWith("SET ");
    }

    @Test
    void unknownColumnExitsWith2() {
        CliRun run = explain("--key", "c:{nr}", "--as", "hash");

        assertThat(run.out()).isEmpty();
        assertThat(run.err()).contains("column=nr").contains("columns=[id, name]");
        assertThat(run.code()).isEqualTo(2);
    }

    private CliRun explain(String... args) {
        return CliRun.of(CliRun.args(List.of("load", shop.toString(), "--explain", "-p", "1"), args));
    }
}
