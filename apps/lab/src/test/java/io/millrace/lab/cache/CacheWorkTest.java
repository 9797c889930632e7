// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.embedded.EmbeddedRedis;
import io.millrace.lab.cache.CacheLibrary.Promise;
import io.millrace.lab.client.Target;
import io.millrace.lab.experiment.Outcomes;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.WorkContext;
import io.millrace.lab.server.LabException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.AbstractMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each cache of these tests has one fault, and the work finds the fault. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CacheWorkTest {

    private static final Texts TEXTS = new Texts(Texts.USUAL_BYTES);
    private static final Target NOWHERE = Target.of("localhost", 1);

    private final Map<String, String> texts = new ConcurrentHashMap<>();
    private final CacheAdapter memory = inMemory(texts);

    /** Keeps texts in {@code texts}, and computes a missing text for each caller. */
    static CacheAdapter inMemory(Map<String, String> texts) {
        return new CacheAdapter(
                CacheAdapter.loop(texts::get, texts::put),
                (key, text, life) -> texts.put(key, text),
                keys -> keys.stream().<@Nullable String>map(texts::get).toList(),
                () -> {});
    }

    static CacheLibrary library(CacheAdapter cache) {
        return new CacheLibrary("memory", "cache", Promise.NONE, "a map", "https://", (target, life) -> cache);
    }

    static WorkContext context(Target target) {
        return new WorkContext(target, target, Parameters.QUICK, Path.of("target"));
    }

    private ReadyWork reading(boolean allAtOnce) throws Exception {
        var size = new ReadWork.Size(3, 10, allAtOnce, 100);
        ReadyWork ready = new ReadWork(library(memory), NOWHERE, size, TEXTS);
        ready.fill();
        return ready;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void rightAnswersAreCounted(boolean allAtOnce) throws Exception {
        try (ReadyWork ready = reading(allAtOnce)) {
            assertThat(ready.run()).isEqualTo(100);
            assertThat(ready.details().complaints()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void textOfAnotherKeyIsAComplaint(boolean allAtOnce) throws Exception {
        try (ReadyWork ready = reading(allAtOnce)) {
            texts.put("key-3", TEXTS.of("key-4"));

            assertThat(ready.run()).isLessThan(100);
            assertThat(ready.details().complaints())
                    .singleElement()
                    .asString()
                    .matches("answers of a full cache: wrong=\\d+, computed although the text was in Redis=0");
        }
    }

    @Test
    void textThatIsComputedAgainIsAComplaint() throws Exception {
        try (ReadyWork ready = reading(false)) {
            texts.remove("key-5");

            ready.run();

            assertThat(ready.details().complaints())
                    .singleElement()
                    .asString()
                    .startsWith("answers of a full cache: wrong=0, computed although the text was in Redis=");
        }
    }

    @Test
    void cacheThatStoresNothingIsAComplaintOfTheSecondCall() throws Exception {
        try (ReadyWork ready = new CallWork(forgetful(), Duration.ofMillis(1), TEXTS)) {
            ready.run();

            assertThat(ready.details().complaints())
                    .singleElement()
                    .asString()
                    .startsWith("two calls of the slow text: computations of the first=1, of the last=1, ");
        }
    }

    @Test
    void firstCallThatFindsAnOldTextIsAComplaint() throws Exception {
        texts.put(CallWork.KEY, TEXTS.of(CallWork.KEY));
        try (ReadyWork ready = new CallWork(memory, Duration.ofMillis(1), TEXTS)) {
            ready.run();

            assertThat(ready.details().complaints())
                    .singleElement()
                    .asString()
                    .startsWith("two calls of the slow text: computations of the first=0, of the last=0, ");
        }
    }

    /** A cache that always has {@code fixed}. */
    private static CacheAdapter ignoringWrites(Map<String, String> fixed) {
        return inMemory(new AbstractMap<>() {
            @Override
            public Set<Map.Entry<String, String>> entrySet() {
                return fixed.entrySet();
            }

            @Override
            public String put(String key, String text) {
                return text;
            }
        });
    }

    private static CacheAdapter forgetful() {
        return ignoringWrites(Map.of());
    }

    private static ReadyWork stampede(CacheAdapter cache, Promise promise) {
        return new StampedeWork(promise, 20, new Stampede(cache, "first", Duration.ofMillis(20)), Optional.empty());
    }

    @Test
    void brokenPromiseIsAComplaintAndWithoutAPromiseAFigure() throws Exception {
        try (ReadyWork promised = stampede(forgetful(), Promise.ONE_PER_PROCESS);
                ReadyWork unpromised = stampede(forgetful(), Promise.NONE)) {
            assertThat(promised.run()).isEqualTo(20);
            assertThat(unpromised.run()).isEqualTo(20);

            assertThat(promised.details().complaints())
                    .containsExactly("computations: promise=ONE_PER_PROCESS, found by process=[20]");
            assertThat(unpromised.details().complaints()).isEmpty();
            assertThat(unpromised.details().figures()).containsEntry(StampedeWork.COMPUTATIONS, 20.0);
        }
    }

    @Test
    void promisesCountComputationsOfOneProcessOrOfAll() {
        assertThat(Promise.ONE_PER_PROCESS.isKept(List.of(1, 1))).isTrue();
        assertThat(Promise.ONE_PER_PROCESS.isKept(List.of(2, 0))).isFalse();
        assertThat(Promise.ONE_PER_PROCESS.isKept(List.of(0, 0))).isFalse();
        assertThat(Promise.ONE_IN_ALL.isKept(List.of(0, 1))).isTrue();
        assertThat(Promise.ONE_IN_ALL.isKept(List.of(1, 1))).isFalse();
    }

    @Test
    void callerWithATextThatNobodyComputedIsAComplaint() throws Exception {
        CacheAdapter stranger = ignoringWrites(Map.of(Stampede.KEY, "stranger"));
        try (ReadyWork ready = stampede(stranger, Promise.NONE)) {
            ready.run();

            assertThat(ready.details().complaints())
                    .containsExactly("callers with a text that was not computed in this round: 20");
        }
    }

    @Test
    void secondProcessThatCannotOpenItsCacheFailsTheStart() {
        var setup = new SecondProcess.Setup("no/such-cache", NOWHERE, 50);

        assertThatThrownBy(() -> SecondProcess.start(setup))
                .isInstanceOf(LabException.class)
                .hasMessage("the second process has ended. See its messages above.");
    }

    /** One round of {@code library} with a real server that is lost. */
    private static RoundDetails lose(CacheLibrary library, boolean silent) throws Exception {
        try (var redis = EmbeddedRedis.start();
                ReadyWork ready =
                        new LostServerWork(library, Target.of(redis.host(), redis.port()), silent, 8, TEXTS)) {
            ready.fill();
            ready.run();
            return ready.details();
        }
    }

    @Test
    void lostServerFailsTheCallersOfALoop() throws Exception {
        RoundDetails silent = lose(JedisCache.LOOP, true);
        RoundDetails gone = lose(JedisCache.LOOP, false);

        assertThat(silent.outcomes()).contains(new Outcomes(0, 0, 16, 0, 0));
        assertThat(silent.remark())
                .contains("16 calls failed with JedisConnectionException caused by SocketTimeoutException");
        assertThat(gone.outcomes()).contains(new Outcomes(0, 0, 0, 0, 16));
        assertThat(silent.complaints()).isEmpty();
    }

    @Test
    void callerOfAPromisingCacheWithoutATextIsAComplaint() throws Exception {
        var liar = new CacheLibrary(
                JedisCache.LOOP.description(), Promise.ONE_PER_PROCESS, false, JedisCache.LOOP.opener());

        RoundDetails details = lose(liar, true);

        assertThat(details.complaints())
                .containsExactly("16 calls failed with JedisConnectionException caused by SocketTimeoutException");
    }

    @Test
    void secondCallWithoutRedisDoesNotWaitForTheTimeLimit() throws Exception {
        RoundDetails details = lose(MillraceCache.CACHE, true);

        assertThat(details.complaints()).isEmpty();
        assertThat(details.figures())
                .hasEntrySatisfying(
                        LostServerWork.LAST,
                        millis -> assertThat(millis).isGreaterThan((double) LostServerWork.TIMEOUT.toMillis()))
                .hasEntrySatisfying(
                        LostServerWork.LAST_OF_SECOND,
                        millis -> assertThat(millis).isLessThan((double) LostServerWork.TIMEOUT.toMillis()));
    }
}
