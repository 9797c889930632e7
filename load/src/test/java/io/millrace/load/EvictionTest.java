// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.embedded.EmbeddedOptions;
import io.millrace.load.LoadReport.Ending;
import io.millrace.load.source.CsvOptions;
import io.millrace.load.source.CsvSource;
import io.millrace.load.source.RowSource;
import io.millrace.load.target.HashTarget;
import io.millrace.testkit.NoThreadLeft;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Loads into a server that evicts keys. */
@ExtendWith(NoThreadLeft.class)
class EvictionTest {

    private static final EmbeddedOptions SMALL =
            EmbeddedOptions.defaults().withMaxMemoryBytes(3_000_000).withConfig("maxmemory-policy allkeys-random");

    @TempDir
    private Path folder;

    @Test
    void evictedKeysAreReportedWithAWarning() throws IOException {
        try (TestRedis small = TestRedis.start(SMALL)) {
            // The bytes of a file give the number of its rows before they are read.
            RowSource file = CsvSource.of(
                    Files.writeString(folder.resolve("customers.csv"), "id,name\n" + customers(50_000)),
                    CsvOptions.defaults());

            LoadReport report = run(new Loader(small.options()), file, event -> {});

            assertThat(report.rows().written()).isEqualTo(50_000);
            assertThat(report.details().evictedKeys()).isPositive().isLessThan(50_000);
            assertThat(report.details().warnings())
                    .anyMatch(warning -> warning.startsWith("the rows need more memory than the server has, so keys"))
                    .anyMatch(warning -> warning.startsWith("the server evicted keys during the load"));
        }
    }

    @Test
    void evictedKeysOfAStoppedLoadAreReported() {
        try (TestRedis small = TestRedis.start(SMALL)) {
            Loader loader = new Loader(small.options());

            LoadReport report = run(loader, TestRows.endless(), event -> {
                if (event instanceof LoadEvent.Progress progress
                        && progress.rows().written() > 50_000) {
                    loader.stop();
                }
            });

            assertThat(report.ending()).isEqualTo(new Ending.Interrupted());
            assertThat(report.details().evictedKeys()).isPositive();
            assertThat(report.details().warnings())
                    .anyMatch(warning -> warning.startsWith("the server evicted keys during the load"));
        }
    }

    private static String customers(int count) {
        StringBuilder rows = new StringBuilder();
        for (int id = 0; id < count; id++) {
            rows.append(id).append(",Customer ").append(id).append('\n');
        }
        return rows.toString();
    }

    private static LoadReport run(Loader loader, RowSource rows, Consumer<LoadEvent> events) {
        return loader.run(new LoadPlan(rows, HashTarget.of("c:{id}"), LoadOptions.defaults()), events);
    }
}
