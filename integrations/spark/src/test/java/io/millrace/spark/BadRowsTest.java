// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Server;
import io.millrace.embedded.EmbeddedRedis;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Jobs with bad rows of many kinds among good rows, and with tasks that are repeated. */
class BadRowsTest {

    /** Number of rows of each job. */
    private static final long ROWS = Long.getLong("millrace.sparkBadRows", 512);

    private static final int PARTITIONS = 4;

    private static EmbeddedRedis server;
    private static RedisClient client;

    @TempDir
    Path rejects;

    @BeforeAll
    static void start() {
        server = EmbeddedRedis.start();
        client = RedisClient.connect(RedisUri.parse(server.uri()));
    }

    @AfterAll
    static void close() {
        client.close();
        server.close();
    }

    static List<BadRows> all() {
        return BadRows.all();
    }

    @Test
    void thereAreAThousandBadRowsOfAtLeast25Kinds() {
        assertThat(all().size() * BadRows.bad(ROWS).size()).isGreaterThanOrEqualTo(1_000);
        assertThat(all().stream().mapToLong(rows -> rows.kinds().size()).sum()).isGreaterThanOrEqualTo(25);
        assertThat(all())
                .allMatch(rows -> BadRows.bad(ROWS).size() >= rows.kinds().size());
    }

    @ParameterizedTest
    @MethodSource("all")
    void eachBadRowIsRejectedOnceAndLeavesNothing(BadRows rows) throws IOException {
        prepareServer(rows);

        write(rows, FailingOnce.range(ROWS, PARTITIONS), "rejects", rejects.toString());

        JobReport report = LoadReports.latest().orElseThrow();
        assertThat(report.rowsRead()).isEqualTo(ROWS);
        assertThat(report.rowsRejected()).isEqualTo(BadRows.bad(ROWS).size());
        assertThat(report.attempts()).isEqualTo(new JobReport.Attempts(PARTITIONS, PARTITIONS / 2, 0, 0));
        checkRejects(rows);
        Keyspace disturbed = Keyspace.of(client);
        prepareServer(rows);
        write(rows, TestSpark.session().range(ROWS).filter("id % 4 < 3"));
        assertThat(disturbed).isEqualTo(Keyspace.of(client));
    }

    private static void prepareServer(BadRows rows) {
        var unused = client.call(Server.flushAll());
        rows.prepare(client);
    }

    private static void write(BadRows rows, Dataset<Long> ids, String... more) {
        List<String> options = new ArrayList<>(List.of("uri", server.uri()));
        options.addAll(rows.options());
        options.addAll(List.of(more));
        TestSpark.write(rows.rows(ids), options.toArray(String[]::new)).save();
    }

    private void checkRejects(BadRows rows) throws IOException {
        List<RejectedRow> rejected = RejectedRow.in(rejects);
        assertThat(rejected).extracting(RejectedRow::id).isEqualTo(BadRows.bad(ROWS));
        assertThat(rejected).allSatisfy(row -> {
            BadRows.Kind kind = rows.kindOf(row.id());
            assertThat(row.reason()).isEqualTo(kind.reason());
            assertThat(row.message()).contains(kind.message());
        });
    }
}
