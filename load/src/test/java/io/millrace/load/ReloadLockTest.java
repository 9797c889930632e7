// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Replies;
import io.millrace.load.LoadOptions.Verification;
import io.millrace.load.LoadReport.Ending;
import io.millrace.load.source.RowSource;
import io.millrace.load.target.PlanException;
import io.millrace.load.target.StringTarget;
import io.millrace.load.target.Target;
import io.millrace.testkit.NoThreadLeft;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Runs of a job whose lock, state or process is lost. */
@ExtendWith(NoThreadLeft.class)
class ReloadLockTest {

    private static final Reload SWAP = new Reload("test", true, false);
    private static final Reload BOTH = new Reload("test", true, true);

    @RegisterExtension
    static final RedisServerExtension REDIS = new RedisServerExtension();

    private final List<String> warnings = new ArrayList<>();

    @Test
    void nextRunWaitsForTheLockOfAKilledRun() {
        REDIS.call("SET", "millrace:{test}:lock", "killed", "PX", "300");

        LoadReport report = run(StringTarget.of("k:{id}", "name"), SWAP, TestRows.count(5));

        assertThat(report.ending()).isEqualTo(new Ending.Completed());
        assertThat(integer("EXISTS", "millrace:{test}:lock")).isZero();
    }

    @Test
    void runThatHasLostItsLockReplacesNothing() {
        REDIS.call("SET", "k:1", "old");
        RowSource losing = TestRows.of((row, opening, id) -> {
            if (id == 90) {
                REDIS.call("SET", "millrace:{test}:lock", "another run");
            }
            return id < 100 && TestRows.fill(row, id, "new");
        });

        LoadReport report = run(StringTarget.of("k:{id}", "name"), SWAP, losing);

        assertThat(report.ending().reason().orElseThrow()).contains("another run of this job has begun");
        assertThat(Replies.text(REDIS.call("GET", "k:1"))).isEqualTo("old");
        REDIS.call("DEL", "millrace:{test}:lock");
        assertOnlyKeys("k:1");
    }

    /** The lock of a run expires while the server stands still. */
    @Test
    void runTakesItsExpiredLockAgainIfNoOtherRunHasBegun() {
        REDIS.call("SET", "k:1", "old");
        RowSource expiring = TestRows.before(
                TestRows.count(100), opening -> opening == 2, () -> REDIS.call("DEL", "millrace:{test}:lock"));

        LoadReport report = run(
                StringTarget.of("k:{id}", "name"),
                LoadOptions.builder().reload(SWAP).verify(Verification.FULL).build(),
                expiring);

        assertThat(report.ending()).isEqualTo(new Ending.Completed());
        assertThat(report.details().reloaded()).contains(new ReloadResult(100, 0, 0));
        assertThat(integer("EXISTS", "millrace:{test}:lock")).isZero();
    }

    /** Another run has begun, has deleted the first shadow keys of this run, and was killed. */
    @Test
    void runDoesNotTakeItsExpiredLockAgainAfterAnotherRunHasBegun() {
        REDIS.call("SET", "k:1", "old");
        RowSource losing = TestRows.before(TestRows.count(100), opening -> opening == 2, () -> {
            REDIS.call("HSET", "millrace:{test}:state", "owner", "another run");
            REDIS.call("DEL", "millrace:{test}:lock");
        });

        LoadReport report = run(
                StringTarget.of("k:{id}", "name"),
                LoadOptions.builder().reload(SWAP).verify(Verification.FULL).build(),
                losing);

        assertThat(report.ending().reason().orElseThrow()).contains("another run of this job has begun");
        assertThat(Replies.text(REDIS.call("GET", "k:1"))).isEqualTo("old");
        assertOnlyKeys("k:1");
    }

    @Test
    void beginOfARunPreventsThatAKilledRunTakesItsLockAgain() {
        JobKeys killed = JobKeys.ofNewRun("test");
        REDIS.call("HSET", killed.state(), "phase", "loading", "run", killed.run(), "owner", killed.run());

        run(StringTarget.of("k:{id}", "name"), SWAP, TestRows.count(0));

        try (RedisClient client = RedisClient.connect(REDIS.options())) {
            JobStore store = new JobStore(
                    ControlCalls.of(client, LoadOptions.defaults(), new CancelSignal()),
                    killed,
                    LoadOptions.TIMEOUT.defaultValue(),
                    () -> false);
            assertThatThrownBy(() -> store.phase(JobStore.Phase.SWAPPING, true))
                    .hasMessageContaining(JobScripts.LOCK_LOST);
        }
    }

    @Test
    void jobWithAnotherKeyIsRefused() {
        run(StringTarget.of("k:{id}", "name"), BOTH, TestRows.count(5));

        assertThatThrownBy(() -> run(StringTarget.of("other:{id}", "name"), BOTH, TestRows.count(5)))
                .isInstanceOf(PlanException.class)
                .hasMessageContaining("earlierKey=k:{id}");
    }

    @Test
    void stepsAfterTheLossOfTheStateChangeNothing() {
        REDIS.call("SET", "k:1", "old");
        RowSource flushing = TestRows.of((row, opening, id) -> {
            if (id == 70) {
                REDIS.call("DEL", "millrace:{test}:state", "millrace:{test}:lock");
            }
            return id < 500 && TestRows.fill(row, id, "new");
        });

        LoadReport report = run(StringTarget.of("k:{id}", "name"), SWAP, flushing);

        assertThat(report.ending().reason().orElseThrow()).contains("another client has deleted the state of this job");
        assertOnlyKeys("k:1");
    }

    @Test
    void abandonedSwapIsCompletedByTheNextRun() {
        JobKeys keys = JobKeys.ofNewRun("test");
        for (int id = 0; id < 1_000; id++) {
            String key = "k:" + id;
            REDIS.call("SET", key, "old");
            REDIS.call("SET", new String(keys.shadow(key.getBytes(UTF_8)), UTF_8), "new");
            REDIS.call("SADD", keys.newManifest(), key);
        }
        REDIS.call("SET", keys.lock(), keys.run());
        AtomicInteger batches = new AtomicInteger();
        try (RedisClient client = RedisClient.connect(REDIS.options())) {
            JobStore store = new JobStore(
                    ControlCalls.of(client, LoadOptions.defaults(), new CancelSignal()),
                    keys,
                    LoadOptions.TIMEOUT.defaultValue(),
                    () -> batches.incrementAndGet() > 2);
            store.start(StringTarget.of("k:{id}", "name"), BOTH);
            store.phase(JobStore.Phase.SWAPPING, true);
            assertThatThrownBy(store::swapAll).isInstanceOf(JobStore.AbandonedException.class);
        }
        long left = integer("EVAL", "return #redis.call('KEYS','millrace:shadow:*')", "0");
        REDIS.call("DEL", keys.lock());

        run(StringTarget.of("k:{id}", "name"), BOTH, TestRows.count(3));

        assertThat(left).isBetween(1L, 999L);
        assertThat(warnings).singleElement().asString().contains("phase=swapping", "swapped=" + left);
        assertOnlyKeys("k:0", "k:1", "k:2");
    }

    private LoadReport run(Target target, Reload reload, RowSource source) {
        return run(target, LoadOptions.builder().reload(reload).build(), source);
    }

    private LoadReport run(Target target, LoadOptions options, RowSource source) {
        return new Loader(REDIS.options()).run(new LoadPlan(source, target, options), event -> {
            if (event instanceof LoadEvent.Warned warned) {
                warnings.add(warned.message());
            }
        });
    }

    /** Asserts that there are no other keys, except the keys of the job. */
    private static void assertOnlyKeys(String... keys) {
        String others = "local r={} for _,k in ipairs(redis.call('KEYS','*')) do "
                + "if k~='millrace:{test}:state' and k~='millrace:{test}:keys' then r[#r+1]=k end end return r";
        assertThat(Replies.list(Replies::text).apply(REDIS.call("EVAL", others, "0")))
                .containsExactlyInAnyOrder(keys);
    }

    private static long integer(String name, String... arguments) {
        return Replies.integer(REDIS.call(name, arguments));
    }
}
