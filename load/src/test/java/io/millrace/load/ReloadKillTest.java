// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Replies;
import io.millrace.client.exception.RedisException;
import io.millrace.load.source.RowSource;
import io.millrace.load.target.StringTarget;
import io.millrace.load.target.Target;
import io.millrace.testkit.ConnectionEnd;
import io.millrace.testkit.Direction;
import io.millrace.testkit.FaultProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Loads that are killed while they replace old data. For the server, a loader is killed if no more bytes arrive from its
 * connections. A proxy drops the bytes after a given number of bytes, so each step of the load is the last one once.
 */
class ReloadKillTest {

    private static final Target TARGET = StringTarget.of("k:{id}", "name");

    /** Keys of the old data are 0 to 11, and keys of the new data are 0 to 8: three keys are removed. */
    private static final int OLD = 12;

    private static final int NEW = 9;

    /** Number of points at which a load is killed. */
    private static final int KILLS = 24;

    /** Timeout of a killed run. Other runs have the default, because the machine may be busy. */
    private static final Duration TIMEOUT = Duration.ofMillis(300);

    @RegisterExtension
    static final RedisServerExtension REDIS = new RedisServerExtension();

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void killedRunLeavesOldOrNewDataAndTheNextRunCleansUp(boolean swap) {
        Reload reload = new Reload("test", swap, true);
        long bytes = bytesOfMainConnection(reload);
        Set<String> phases = new TreeSet<>();
        for (int kill = 0; kill <= KILLS; kill++) {
            REDIS.call("FLUSHALL");
            run(REDIS.options(), reload, rows(OLD, "old"));
            killAt(1 + bytes * kill / KILLS, reload);

            // The lock expires after some seconds.
            REDIS.call("DEL", "millrace:{test}:lock");
            String phase = state("phase");
            phases.add(phase);
            assertOldOrNew(phase, swap);
            endKilledRun(reload, phase, swap);
        }

        assertThat(phases).contains("loading", "idle", "pruning");
        assertThat(phases.contains("swapping")).isEqualTo(swap);
    }

    /** A shadow key without its record would never be deleted. */
    @Test
    void lostConnectionOfTheRowsLeavesNoShadowKeyThatIsNotRecorded() {
        Reload reload = new Reload("test", true, true);
        run(REDIS.options(), reload, rows(OLD, "old"));
        Set<Long> unconfirmed = new TreeSet<>();
        for (int kill = 1; kill <= KILLS; kill++) {
            try (FaultProxy proxy = proxy()) {
                proxy.cutNext(Direction.TO_SERVER, Long.MAX_VALUE, ConnectionEnd.SILENCE);
                proxy.cutNext(Direction.TO_SERVER, ROW_BYTES * kill / KILLS, ConnectionEnd.SILENCE);
                LoadReport report = run(through(proxy), reload, rows(NEW, "new"));
                unconfirmed.add(report.rows().unconfirmed());
            } catch (RedisException cutInTheHandshake) {
                // The next run ends this run.
            }

            assertThat(keys("millrace:shadow:*")).isEmpty();
        }

        assertThat(unconfirmed).contains(0L, (long) NEW);
    }

    /** The client would wait five minutes for another connection. */
    @Test
    @Timeout(60)
    void serverThatDiesBetweenTheLastRowAndTheSwapGivesACompleteReport() {
        try (TestRedis doomed = TestRedis.start()) {
            RowSource source = TestRows.recorded(TestRows.count(100), event -> {
                if (event.equals("close")) {
                    doomed.server().kill();
                }
            });
            LoadOptions options = LoadOptions.builder()
                    .reload(new Reload("test", true, false))
                    .patience(Duration.ZERO)
                    .timeout(Duration.ofMinutes(5))
                    .build();
            ClientOptions patient = ClientOptions.builder(doomed.options().uri())
                    .commandTimeout(Duration.ofMinutes(5))
                    .build();

            LoadReport report = new Loader(patient).run(new LoadPlan(source, TARGET, options), event -> {});

            assertThat(report.ending().reason().orElseThrow())
                    .startsWith("the data was not swapped: the state of the job could not be read: ");
            assertThat(report.rows()).isEqualTo(new RowCounts(100, 0, 0, 100, 0));
            assertThat(report.details().warnings())
                    .singleElement()
                    .asString()
                    .startsWith("the new data of this load could not be deleted: job=test");
        }
    }

    /** Begins a run that fails because of its empty source. Its beginning ends the killed run. */
    private void endKilledRun(Reload reload, String phase, boolean swap) {
        run(REDIS.options(), reload, rows(0, ""));

        boolean replaced = phase.equals("swapping") || phase.equals("pruning");
        List<String> values = values();
        if (replaced) {
            assertThat(values).as(phase).hasSize(NEW).containsOnly("new");
        } else if (phase.equals("loading") && swap) {
            assertThat(values).as(phase).hasSize(OLD).containsOnly("old");
        }
        assertNothingLeft();

        run(REDIS.options(), reload, rows(NEW, "newer"));

        assertThat(values()).as(phase).hasSize(NEW).containsOnly("newer");
        assertNothingLeft();
    }

    /** Before the phase of swapping, all data is old. Each key has its old or its new value at any time. */
    private void assertOldOrNew(String phase, boolean swap) {
        List<String> values = values();
        switch (phase) {
            case "loading" -> {
                assertThat(values).hasSize(OLD);
                if (swap) {
                    assertThat(values).containsOnly("old");
                }
            }
            case "swapping" -> assertThat(values).hasSize(OLD).containsAnyOf("old", "new");
            case "pruning" -> assertThat(values).hasSizeBetween(NEW, OLD).contains("new");
            default -> assertThat(values.size()).isIn(OLD, NEW);
        }
    }

    private static void assertNothingLeft() {
        assertThat(keys("millrace:shadow:*")).isEmpty();
        assertThat(keys("millrace:{test}:new:*")).isEmpty();
        assertThat(state("phase")).isEqualTo("idle");
    }

    /** Bytes that an undisturbed run sends on the connection that changes the state of the job. */
    private long bytesOfMainConnection(Reload reload) {
        run(REDIS.options(), reload, rows(OLD, "old"));
        try (FaultProxy proxy = proxy()) {
            // The second connection sends the rows. It is silent after its handshake, so its rows are not counted.
            run(through(proxy), reload, rows(NEW, "new"));
            return proxy.forwardedBytes(Direction.TO_SERVER) - ROW_BYTES;
        }
    }

    /** About the bytes of the connection that sends rows. An exact number is not needed. */
    private static final long ROW_BYTES = 940;

    private void killAt(long byteOfMainConnection, Reload reload) {
        try (FaultProxy proxy = proxy()) {
            proxy.cutNext(Direction.TO_SERVER, byteOfMainConnection, ConnectionEnd.SILENCE);
            proxy.cutNext(Direction.TO_SERVER, Long.MAX_VALUE, ConnectionEnd.SILENCE);
            for (int later = 0; later < 20; later++) {
                proxy.cutNext(Direction.TO_SERVER, 0, ConnectionEnd.SILENCE);
            }
            run(through(proxy), reload, rows(NEW, "new"));
        } catch (RedisException killedBeforeTheFirstRow) {
            // The run ended in one of the steps before its first row.
        }
    }

    private static FaultProxy proxy() {
        return FaultProxy.inFrontOf(REDIS.server().host(), REDIS.server().port());
    }

    private static ClientOptions through(FaultProxy proxy) {
        return ClientOptions.builder(RedisUri.of(proxy.host(), proxy.port()))
                .connections(1)
                .commandTimeout(TIMEOUT)
                .connectTimeout(TIMEOUT)
                .build();
    }

    private static LoadReport run(ClientOptions server, Reload reload, RowSource source) {
        LoadOptions options = LoadOptions.builder()
                .reload(reload)
                .timeout(server.commandTimeout())
                .patience(Duration.ZERO)
                .build();
        return new Loader(server).run(new LoadPlan(source, TARGET, options), event -> {});
    }

    private static RowSource rows(int count, String value) {
        return TestRows.of((row, opening, id) -> id < count && TestRows.fill(row, id, value));
    }

    private static List<String> values() {
        List<String> values = new ArrayList<>();
        keys("k:*").forEach(key -> values.add(Replies.text(REDIS.call("GET", key))));
        return values;
    }

    private static List<String> keys(String pattern) {
        return Replies.list(Replies::text).apply(REDIS.call("KEYS", pattern));
    }

    private static String state(String field) {
        return Replies.text(REDIS.call("HGET", "millrace:{test}:state", field));
    }
}
