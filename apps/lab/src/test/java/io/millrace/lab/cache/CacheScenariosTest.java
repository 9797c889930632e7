// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.embedded.EmbeddedRedis;
import io.millrace.lab.client.Target;
import io.millrace.lab.experiment.Experiment;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.RoundPlan;
import io.millrace.lab.experiment.Sample;
import io.millrace.lab.experiment.Scenario;
import io.millrace.lab.server.CpuTime;
import io.millrace.lab.server.Keyspace;
import io.millrace.lab.server.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** One round of each contender, with all checks. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CacheScenariosTest {

    private static final Parameters SMALL = new Parameters(
            OptionalLong.of(16),
            Optional.empty(),
            OptionalInt.of(50),
            OptionalInt.of(20),
            Optional.empty(),
            OptionalLong.empty(),
            42,
            true);
    private static final Experiment EXPERIMENT = CacheExperiment.of(SMALL);
    private static final EmbeddedRedis REDIS = EmbeddedRedis.start();
    private static final RedisServer SERVER =
            RedisServer.at(Target.of(REDIS.host(), REDIS.port()), Keyspace.WHOLE, () -> {});

    @AfterAll
    static void stop() {
        SERVER.close();
        REDIS.close();
    }

    static Stream<String> contenders() {
        return EXPERIMENT.scenarios().stream()
                .flatMap(scenario ->
                        scenario.contenders().stream().map(contender -> scenario.name() + " " + contender.label()));
    }

    @ParameterizedTest
    @MethodSource("contenders")
    void contenderPassesAllChecks(String name) throws Exception {
        String[] parts = name.split(" ", 2);
        Scenario scenario = EXPERIMENT.scenario(parts[0]);

        Sample sample = rounds(scenario, (JvmContender) scenario.contender(parts[1]));

        assertThat(sample.complaints()).isEmpty();
        assertThat(sample.details().figures().keySet())
                .as("each figure of the scenario has a value")
                .containsAll(scenario.figures().keySet());
        assertThat(sample.operations() > 0).as("some operations succeed").isEqualTo(!losesItsCallers(name));
    }

    /** Without Redis, only guarded loops and Millrace have texts for their callers. */
    private static boolean losesItsCallers(String name) {
        return name.startsWith("lost")
                && !Pattern.compile("guarded|error-handler|millrace")
                        .matcher(name)
                        .find();
    }

    /** Returns one round, and for near caches the second round, which begins with full near caches. */
    private static Sample rounds(Scenario scenario, JvmContender contender) throws Exception {
        try (var ready = contender.work().open(CacheWorkTest.context(SERVER.target()))) {
            Sample first = round(scenario, ready);
            return scenario.name().startsWith("hits-near") ? round(scenario, ready) : first;
        }
    }

    private static Sample round(Scenario scenario, ReadyWork ready) throws Exception {
        ready.prepare();
        SERVER.reset();
        scenario.server().fill().fill(SERVER);
        ready.fill();
        long operations = ready.run();
        RoundDetails details = ready.details();
        var complaints = new ArrayList<>(details.complaints());
        complaints.addAll(
                scenario.server().check().complaints(SERVER, sample(operations, details, details.complaints())));
        return sample(operations, details, complaints);
    }

    static Sample sample(long operations, RoundDetails details, List<String> complaints) {
        return new Sample(
                1,
                1,
                operations,
                1,
                1.0,
                new CpuTime(0, 0, 0.01),
                Optional.empty(),
                Optional.empty(),
                details,
                List.of(),
                complaints);
    }

    static List<CacheLibrary> concurrent() {
        return CacheLibrary.CONCURRENT;
    }

    @ParameterizedTest
    @MethodSource("concurrent")
    void concurrentCallersGetANewTextAndLocksInRedisComputeOnce(CacheLibrary library) throws Exception {
        SERVER.reset();
        CacheAdapter cache = library.opener().open(SERVER.target(), CacheAdapter.LONG_LIFE);
        var stampede = new Stampede(cache, "first", Duration.ofMillis(50));
        try (var ready = new StampedeWork(library.promise(), 20, stampede, Optional.empty())) {
            assertThat(ready.run()).isEqualTo(20);

            assertThat(ready.details().complaints()).isEmpty();
            if (List.of(SpringCache.SYNC_LOCKING, RedissonCache.COMPUTING).contains(library)) {
                assertThat(ready.details().figures()).containsEntry(StampedeWork.COMPUTATIONS, 1.0);
            }
        }
    }

    private static Sample hits(String name, CacheLibrary library, long operations) throws Exception {
        var size = new ReadWork.Size(2, 20, false, operations);
        return rounds(
                EXPERIMENT.scenario(name),
                library.contender("", "", context -> new ReadWork(library, context.target(), size, new Texts(50))));
    }

    @Test
    void cacheThatAnswersWithoutRedisIsAComplaint() throws Exception {
        Sample sample = hits("hits-64", CacheWorkTest.library(CacheWorkTest.inMemory(new ConcurrentHashMap<>())), 100);

        assertThat(sample.complaints())
                .containsExactly(
                        "keys that the server found: answers=100, keys=0, expected at least=100",
                        "entries: expected=20, found=0");
    }

    @Test
    void nearCacheThatAsksRedisForEachAnswerIsAComplaint() throws Exception {
        Sample sample = hits("hits-near-64", JedisCache.LOOP.asNear(), 1_000);

        assertThat(sample.complaints())
                .singleElement()
                .asString()
                .matches("keys that the server found: answers=1000, keys=10\\d\\d, expected at most=300");
    }

    @Test
    void nearCacheThatIgnoresWritesOfAnotherClientIsAComplaint() throws Exception {
        var deaf = new CacheLibrary(
                JedisCache.LOOP.description(), CacheLibrary.Promise.NONE, true, CacheScenariosTest::openDeaf);

        Sample sample = hits("hits-near-64", deaf, 1_000);

        assertThat(sample.complaints())
                .containsExactly("the near cache keeps an old text after a write of another client: seconds=5");
    }

    /** Keeps each text in the process, without an end. */
    private static CacheAdapter openDeaf(Target target, Duration life) throws Exception {
        CacheAdapter redis = JedisCache.LOOP.opener().open(target, life);
        CacheAdapter kept = CacheWorkTest.inMemory(new ConcurrentHashMap<>());
        return new CacheAdapter(
                (key, loader) -> kept.get(key, missing -> redis.get(missing, loader)), redis.writer(), redis);
    }

    @Test
    void keysOfLibrariesDoNotReplaceAMissingEntry() {
        SERVER.reset();
        SERVER.control().set(CacheAdapter.redisKey("key-0"), "text");
        SERVER.control().set("redisson__execute_task_once_latch:" + CacheAdapter.HASH, "not an entry");

        List<String> complaints =
                ServerReads.of(2, true).check().complaints(SERVER, sample(1_000_000, RoundDetails.NONE, List.of()));

        assertThat(complaints).containsExactly("entries: expected=2, found=1");
    }

    @Test
    void nearHitsOfOneCallerAndSecondAnswersWithoutRedisHaveALimit() {
        Experiment full = CacheExperiment.of(Parameters.DEFAULT);

        assertThat(limits(full, "hits-near-1"))
                .containsExactly("millrace/near-cache, " + ReadWork.MEDIAN + ": at most 0.2");
        assertThat(limits(full, "lost-silent"))
                .containsExactly("millrace/cache, " + LostServerWork.LAST_OF_SECOND + ": at most 100.0");
    }

    private static List<String> limits(Experiment experiment, String scenario) {
        return experiment.scenario(scenario).bars().stream()
                .map(bar ->
                        bar.contender() + ", " + bar.name() + ": " + bar.limit().orElseThrow())
                .toList();
    }

    @Test
    void fullExperimentPlansNoShortRoundOfNearCaches() {
        for (String name : List.of("hits-near-1", "hits-near-64")) {
            assertThat(fullPlan(name).minimum()).hasSeconds(1);
        }
    }

    @Test
    void scenariosWithALimitBesideBareCommandsHaveFourProcessesWithThreeRounds() {
        for (String name : List.of("hits-1", "hits-64", "multiget")) {
            RoundPlan plan = fullPlan(name);

            assertThat(plan.forks()).as(name).isEqualTo(4);
            assertThat(plan.rounds()).as(name).isEqualTo(3);
            assertThat(plan.expected()).as(name).isLessThan(Duration.ofSeconds(21));
        }
    }

    private static RoundPlan fullPlan(String scenario) {
        return CacheExperiment.of(Parameters.DEFAULT).scenario(scenario).plan();
    }
}
