// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class ServerFailureTest {

    private static final Pattern ACCOUNT = Pattern.compile(
            "rows: (\\d+), written: (\\d+), rejected: (\\d+), skipped: (\\d+), unconfirmed: (\\d+), .*");

    @Test
    void serverKilledDuringALoadLeavesUnconfirmedRowsAndConsistentCounts() {
        try (EmbeddedRedis redis = EmbeddedRedis.start()) {
            // The server is paused, receives some rows without sending replies, and is then killed. So rows without a
            // reply are in flight at the kill. There are so many of them that the writer sends some of them before the
            // kill, also on a busy machine. The window is larger than these rows, so that the load continues to read
            // its input up to the row before which the server is killed.
            InputStream rows = concatenated(
                    rows(0, 100_000),
                    running(redis::pause),
                    rows(100_000, 195_000),
                    running(redis::kill),
                    rows(195_000, 200_000));

            CliRun run = load(redis, rows, "--in-flight", "400000", "--in-flight-bytes", "256MB", "--patience", "0s");

            long[] account = account(run);
            assertThat(run.code()).as(run.err()).isEqualTo(6);
            assertThat(run.err()).contains("millrace: stopped: ").doesNotContain("\tat ");
            assertThat(account[0]).isEqualTo(account[1] + account[2] + account[3] + account[4]);
            assertThat(account[1]).isGreaterThan(0);
            assertThat(account[4]).isPositive();
        }
    }

    @Test
    void rowsWithoutAReplyInTimeAreUnconfirmedAndCounted() {
        try (EmbeddedRedis redis = EmbeddedRedis.start()) {
            InputStream rows = concatenated(rows(0, 1_000), running(redis::pause), rows(1_000, 1_500));

            CliRun run = load(redis, rows, "--timeout", "700ms");

            long[] account = account(run);
            assertThat(run.code()).as(run.err()).isEqualTo(6);
            assertThat(run.err())
                    .containsPattern(
                            "millrace: [\\d,]+ commands had no reply within 700 ms: their rows are unconfirmed");
            assertThat(run.out()).doesNotContain("loaded ");
            assertThat(account[0]).isEqualTo(account[1] + account[2] + account[3] + account[4]);
            assertThat(account[4]).isGreaterThanOrEqualTo(500);
        }
    }

    @Test
    void serverOutOfMemoryStopsTheLoadAndEveryRowIsCounted() {
        EmbeddedOptions small = EmbeddedOptions.defaults().withMaxMemoryBytes(16 << 20);
        try (EmbeddedRedis redis = EmbeddedRedis.start(small);
                Keyspace keyspace = Keyspace.of(redis)) {

            CliRun run = load(redis, rows(0, 200_000), "--patience", "200ms");

            long[] account = account(run);
            assertThat(run.code()).as(run.err()).isEqualTo(4);
            assertThat(run.err())
                    .contains("server-error: ")
                    .contains("millrace: stopped: the server accepts no rows now: OOM command not allowed");
            assertThat(account[0]).isEqualTo(account[1] + account[2] + account[3]);
            assertThat(account[1]).isEqualTo(keyspace.size()).isGreaterThan(0);
        }
    }

    private static CliRun load(EmbeddedRedis redis, InputStream rows, String... more) {
        List<String> args = List.of(
                "load",
                "-",
                "--format",
                "csv",
                "--columns",
                "id,name",
                "--key",
                "c:{id}",
                "--as",
                "hash",
                "-p",
                Integer.toString(redis.port()));
        return CliRun.of(Map.of(), rows, CliRun.args(args, more));
    }

    private static long[] account(CliRun run) {
        Matcher matcher = ACCOUNT.matcher(run.lastLine());
        assertThat(matcher.matches()).as(run.lastLine() + run.err()).isTrue();
        long[] account = new long[5];
        for (int i = 0; i < account.length; i++) {
            account[i] = Long.parseLong(matcher.group(i + 1));
        }
        return account;
    }

    private static InputStream rows(int from, int to) {
        StringBuilder text = new StringBuilder();
        for (int id = from; id < to; id++) {
            text.append(id).append(",a customer with a name\n");
        }
        return new ByteArrayInputStream(text.toString().getBytes(UTF_8));
    }

    /** An empty stream that runs {@code action} when it is read. */
    private static InputStream running(Runnable action) {
        return new InputStream() {
            @Override
            public int read() {
                action.run();
                return -1;
            }

            @Override
            public int read(byte[] into, int offset, int length) {
                return read();
            }
        };
    }

    private static InputStream concatenated(InputStream... streams) {
        return new SequenceInputStream(Collections.enumeration(List.of(streams)));
    }
}
