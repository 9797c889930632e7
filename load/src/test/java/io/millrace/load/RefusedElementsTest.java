// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.command.Replies;
import io.millrace.load.LoadReport.Ending;
import io.millrace.load.source.RowSource;
import io.millrace.load.target.BitmapTarget;
import io.millrace.load.target.HashFieldTarget;
import io.millrace.load.target.ListTarget;
import io.millrace.load.target.SetTarget;
import io.millrace.load.target.SortedSetTarget;
import io.millrace.load.target.StreamTarget;
import io.millrace.load.target.Target;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A server that refuses rows for a time, during loads whose rows share a key. No element may be lost or exist twice,
 * also if a script writes the rows.
 */
@ExtendWith(NoThreadLeft.class)
class RefusedElementsTest {

    private static final int ROWS = 3_000;
    private static final int REFUSED_FROM = 1_000;
    private static final Duration HOUR = Duration.ofHours(1);

    private TestRedis redis;
    private TestRedis second;

    @BeforeEach
    void start() {
        redis = TestRedis.start();
        second = redis.as("default", "any password");
    }

    @AfterEach
    void stop() {
        second.close();
        redis.close();
    }

    /**
     * A target, and the command that counts its elements.
     *
     * @param expires whether the key has an expiry, so that scripts write the rows
     */
    record Shared(Target target, String count, boolean expires) {}

    static Stream<Shared> targets() {
        return Stream.of(
                new Shared(ListTarget.of("k"), "LLEN", false),
                new Shared(ListTarget.of("k").withTtl(HOUR), "LLEN", true),
                new Shared(StreamTarget.of("k"), "XLEN", false),
                new Shared(StreamTarget.of("k").withTtl(HOUR), "XLEN", true),
                new Shared(SetTarget.of("k").withTtl(HOUR), "SCARD", true),
                new Shared(SortedSetTarget.of("k", "id").withTtl(HOUR), "ZCARD", true),
                new Shared(BitmapTarget.of("k", "id").withTtl(HOUR), "BITCOUNT", true),
                new Shared(HashFieldTarget.of("k", "{id}"), "HLEN", false),
                new Shared(HashFieldTarget.of("k", "{id}").withTtl(HOUR), "HLEN", true));
    }

    @ParameterizedTest
    @MethodSource("targets")
    void elementsThatTheServerRefusesForATimeExistOnce(Shared shared) {
        RowSource source = rows(() -> redis.call("CONFIG", "SET", "min-replicas-to-write", "1"));
        LoadPlan plan = new LoadPlan(source, shared.target(), LoadOptions.defaults());

        LoadReport report = new Loader(redis.options()).run(plan, event -> {
            if (event instanceof LoadEvent.Progress && hasRefused("NOREPLICAS")) {
                second.call("CONFIG", "SET", "min-replicas-to-write", "0");
            }
        });

        assertThat(hasRefused("NOREPLICAS")).isTrue();
        assertThat(report.rows()).isEqualTo(new RowCounts(ROWS, ROWS, 0, 0, 0));
        assertThat(elements(shared)).isEqualTo(ROWS);
        assertThat(hasExpiry()).isEqualTo(shared.expires());
    }

    @ParameterizedTest
    @MethodSource("targets")
    void elementsThatAFullServerRefusesDoNotExist(Shared shared) {
        RowSource source = rows(() -> redis.call("CONFIG", "SET", "maxmemory", "1"));
        LoadOptions options = LoadOptions.builder().patience(Duration.ZERO).build();

        LoadReport report =
                new Loader(redis.options()).run(new LoadPlan(source, shared.target(), options), event -> {});

        assertThat(hasRefused("OOM")).isTrue();
        assertThat(report.ending()).isInstanceOf(Ending.Stopped.class);
        assertThat(report.rows().rejected()).isPositive();
        assertThat(report.rows().unconfirmed()).isZero();
        assertThat(elements(shared)).isEqualTo(report.rows().written());
        assertThat(hasExpiry()).isEqualTo(shared.expires() && report.rows().written() > 0);
    }

    /** Rows with different ids. Runs {@code refusing} before the row {@link #REFUSED_FROM}, so that the server refuses rows. */
    private static RowSource rows(Runnable refusing) {
        return TestRows.of((row, opening, id) -> {
            if (id == REFUSED_FROM) {
                refusing.run();
            }
            return id < ROWS && TestRows.fill(row, id, "Customer " + id);
        });
    }

    private boolean hasRefused(String error) {
        return second.call("INFO", "errorstats").toString().contains("errorstat_" + error + ":");
    }

    private long elements(Shared shared) {
        return Replies.integer(redis.call(shared.count(), "k"));
    }

    private boolean hasExpiry() {
        return Replies.integer(redis.call("PTTL", "k")) > 0;
    }
}
