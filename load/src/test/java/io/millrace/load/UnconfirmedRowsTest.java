// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisUri;
import io.millrace.load.source.CsvOptions;
import io.millrace.load.source.CsvSource;
import io.millrace.load.source.FilesSource;
import io.millrace.load.source.RowSource;
import io.millrace.load.target.ListTarget;
import io.millrace.load.target.StringTarget;
import io.millrace.testkit.Answer;
import io.millrace.testkit.ConnectionEnd;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoThreadLeft;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** How the report and the rejects file name the unconfirmed rows of a load. */
@ExtendWith(NoThreadLeft.class)
class UnconfirmedRowsTest {

    @TempDir
    private Path folder;

    @Test
    void rejectsFileWarnsOfLoadingUnconfirmedElementsAgain() throws IOException {
        Path rejects = folder.resolve("rejects.jsonl");
        LoadOptions options =
                LoadOptions.builder().patience(Duration.ZERO).rejects(rejects).build();
        try (TestRedis doomed = TestRedis.start()) {
            LoadReport report = new Loader(doomed.options())
                    .run(
                            new LoadPlan(TestRows.endless(), ListTarget.of("all"), options),
                            LoadFailureTest.paused(doomed, () -> doomed.server().kill()));

            assertThat(report.rows().unconfirmed()).isPositive();
            assertThat(Files.readAllLines(rejects))
                    .hasSameSizeAs(report.details().unconfirmedRows())
                    .allMatch(line -> line.contains("\"reason\":\"unconfirmed\"")
                            && line.contains("Do not load these rows again before you have checked the key"));
        }
    }

    @Test
    void rowsOfSeveralFilesHaveTheirFile() throws IOException {
        List<RowSource> files = new ArrayList<>();
        for (String name : List.of("a.csv", "b.csv")) {
            Path file = Files.writeString(folder.resolve(name), "key,id\n" + "k,1\n".repeat(50));
            files.add(CsvSource.of(file, CsvOptions.defaults()));
        }
        LoadOptions options =
                LoadOptions.builder().withoutFusion().patience(Duration.ZERO).build();
        FakeStringServer strings = new FakeStringServer(command -> Optional.of(Answer.end(ConnectionEnd.RESET)));
        try (FakeRedis server = FakeRedis.start(Handler.afterHandshake(strings))) {
            LoadReport report = new Loader(ClientOptions.of(RedisUri.parse(server.uri())))
                    .run(new LoadPlan(FilesSource.of(files), StringTarget.of("{key}", "id"), options), event -> {});

            assertThat(report.details().unconfirmedRows())
                    .isNotEmpty()
                    .allSatisfy(range -> assertThat(range.file()).endsWith(range.firstRow() <= 50 ? "a.csv" : "b.csv"))
                    .allSatisfy(range -> assertThat(range.lastLine() - range.firstLine())
                            .isEqualTo(range.lastRow() - range.firstRow()));
        }
    }
}
