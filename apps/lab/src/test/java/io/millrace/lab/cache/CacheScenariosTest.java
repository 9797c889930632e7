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
import io.millrace.lab.experiment.Sample;
import io.millrace.lab.experiment.Scenario;
import io.millrace.lab.server.CpuTime;
import io.millrace.lab.server.Keyspace;
import io.millrace.lab.server.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
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

    /** A second process takes a second to start, so only two contenders have one here. */
    static Stream<String> contenders() {
        return EXPERIMENT.scenarios().stream()
                .flatMap(scenario ->
                        scenario.contenders().stream().map(contender -> scenario.name() + " " + contender.label()))
                .filter(name -> !name.startsWith("stampede-2")
                        || name.endsWith("jedis/loop")
                        || name.endsWith("millrace/cache-lease"));
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

    @Test
    void cacheThatAnswersWithoutRedisIsAComplaint() throws Exception {
        var library = CacheWorkTest.library(new InMemoryCache(), CacheLibrary.Promise.NONE);
        Scenario scenario = EXPERIMENT.scenario("hits-64");

        Sample sample =
                rounds(scenario, library.contender("", new ReadWork(library, 2, 20, false, 100, new Texts(50))));

        assertThat(sample.complaints())
                .containsExactly("keys that the server found: answers=100, keys=0, expected at least=100");
    }

    @Test
    void nearCacheThatAsksRedisForEachAnswerIsAComplaint() throws Exception {
        Scenario scenario = EXPERIMENT.scenario("hits-near-64");
        CacheLibrary library = JedisCache.LOOP.asNear();

        Sample sample =
                rounds(scenario, library.contender("", new ReadWork(library, 2, 20, false, 1_000, new Texts(50))));

        assertThat(sample.complaints())
                .containsExactly("keys that the server found: answers=1000, keys=1020, expected at most=300");
    }

    @Test
    void warmUpThatLosesAnEntryIsAComplaint() throws Exception {
        SERVER.reset();
        SERVER.control().set(CacheAdapter.redisKey("key-0"), "text");
        SERVER.control().set("redisson__execute_task_once_latch:" + CacheAdapter.HASH, "not an entry");

        List<String> complaints = WarmUpWork.entries(2).complaints(SERVER, sample(2, RoundDetails.NONE, List.of()));

        assertThat(complaints).containsExactly("entries: expected=2, found=1");
    }

    @Test
    void experimentHasItsScenariosAndPlansNoShortRound() {
        Experiment full = CacheExperiment.of(Parameters.DEFAULT);

        assertThat(full.scenarios())
                .extracting(Scenario::name)
                .containsExactly(
                        "calls-first",
                        "calls-second",
                        "hits-1",
                        "hits-64",
                        "hits-near-64",
                        "multiget",
                        "stampede-1",
                        "stampede-2",
                        "warmup",
                        "lost-gone",
                        "lost-silent");
        for (String name : List.of("hits-1", "hits-64", "hits-near-64", "multiget", "warmup")) {
            assertThat(full.scenario(name).plan().minimum()).hasSeconds(1);
        }
    }
}
