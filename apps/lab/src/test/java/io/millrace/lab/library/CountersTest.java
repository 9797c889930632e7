// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.library;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.lab.library.Counters.Ending;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.args.ClientPauseMode;
import redis.clients.jedis.params.ClientKillParams;

/** Every library that can be asked to count, on a server that asks for a password, in a database that is not the first. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CountersTest {

    private static final String PASSWORD = "s3cret pass/wort@1";
    private static final Duration ENOUGH = Duration.ofSeconds(200);
    private static final Duration SHORT = Duration.ofSeconds(2);

    private static final EmbeddedRedis SERVER =
            EmbeddedRedis.start(EmbeddedOptions.defaults().withPassword(PASSWORD));

    private static final Endpoint ENDPOINT =
            new Endpoint(SERVER.host(), SERVER.port(), Optional.empty(), Optional.of(PASSWORD), 1);

    private static final Duration PAUSE = Duration.ofMinutes(1);

    static final List<Named> ALL =
            Counters.Source.all().stream().map(Named::new).toList();

    static final List<Named> ASYNCHRONOUS =
            ALL.stream().filter(named -> named.source.asynchronous()).toList();

    static final List<Named> WITH_A_TIME_LIMIT =
            ALL.stream().filter(named -> !named.source.name().equals("vertx")).toList();

    static final List<Named> ASYNCHRONOUS_WITH_A_TIME_LIMIT =
            ASYNCHRONOUS.stream().filter(WITH_A_TIME_LIMIT::contains).toList();

    static final List<Named> WITHOUT_A_TIME_LIMIT =
            ALL.stream().filter(named -> !WITH_A_TIME_LIMIT.contains(named)).toList();

    static final List<Named> REFUSING = ALL.stream()
            .filter(named -> List.of("glide", "vertx").contains(named.source.name()))
            .toList();

    private static Jedis control = new Jedis();

    /** With a name that is short enough for a report. */
    record Named(Counters.Source source) {

        Counters open(Duration timeout) throws Exception {
            return source.opener().open(ENDPOINT, timeout);
        }

        @Override
        public String toString() {
            return source.name();
        }
    }

    @BeforeAll
    static void connect() {
        control.close();
        control = JedisLibrary.connect(ENDPOINT);
    }

    @BeforeEach
    void empty() {
        control.flushAll();
    }

    /** Writes alone wait: the connection that ends the pause is not to wait itself. */
    private static void pause() {
        control.clientPause(PAUSE.toMillis(), ClientPauseMode.WRITE);
    }

    @AfterEach
    void goOn() {
        control.clientUnpause();
    }

    @AfterAll
    static void stop() {
        control.close();
        SERVER.close();
    }

    /** Sends {@code count} increments at once; the endings come as they are told. */
    private static Queue<Ending> send(Counters counters, String key, int count) throws InterruptedException {
        var endings = new ConcurrentLinkedQueue<Ending>();
        var settled = new CountDownLatch(count);
        for (int i = 0; i < count; i++) {
            counters.send(key, ending -> {
                endings.add(ending);
                settled.countDown();
            });
        }
        assertThat(settled.await(ENOUGH.toSeconds(), TimeUnit.SECONDS))
                .as("settled: " + endings)
                .isTrue();
        return endings;
    }

    @ParameterizedTest
    @FieldSource("ALL")
    void whatIsCountedIsToldOk(Named library) throws Exception {
        try (var counters = library.open(ENOUGH)) {
            for (int i = 0; i < 100; i++) {
                assertThat(counters.increment("called")).isEqualTo(Ending.OK);
            }
        }

        assertThat(control.get("called")).isEqualTo("100");
    }

    @ParameterizedTest
    @FieldSource("ASYNCHRONOUS")
    void whatIsSentIsToldOkOnceAndCounted(Named library) throws Exception {
        try (var counters = library.open(ENOUGH)) {
            assertThat(send(counters, "sent", 500)).hasSize(500).containsOnly(Ending.OK);
        }

        assertThat(control.get("sent")).isEqualTo("500");
    }

    @ParameterizedTest
    @FieldSource("ALL")
    void anErrorReplyIsNoneOfTheOthers(Named library) throws Exception {
        control.lpush("list", "x");

        try (var counters = library.open(ENOUGH)) {
            assertThat(counters.increment("list")).isEqualTo(Ending.ERROR);
            if (library.source.asynchronous()) {
                assertThat(send(counters, "list", 2)).containsExactly(Ending.ERROR, Ending.ERROR);
            }
            assertThat(counters.increment("called")).isEqualTo(Ending.OK);
        }
    }

    @ParameterizedTest
    @FieldSource("WITH_A_TIME_LIMIT")
    void aServerThatDoesNotAnswerIsWaitedForAsLongAsAskedFor(Named library) throws Exception {
        try (var counters = library.open(SHORT)) {
            assertThat(counters.increment("called")).isEqualTo(Ending.OK);
            pause();

            long start = System.nanoTime();
            var ending = counters.increment("called");
            var waited = Duration.ofNanos(System.nanoTime() - start);
            assertThat(ending).isEqualTo(Ending.TIMED_OUT);
            assertThat(waited).isBetween(SHORT.minusMillis(50), SHORT.multipliedBy(10));
        }
    }

    @ParameterizedTest
    @FieldSource("ASYNCHRONOUS_WITH_A_TIME_LIMIT")
    void whatIsSentToAServerThatDoesNotAnswerTimesOutToo(Named library) throws Exception {
        try (var counters = library.open(SHORT)) {
            assertThat(counters.increment("called")).isEqualTo(Ending.OK);
            pause();

            assertThat(send(counters, "sent", 1)).containsExactly(Ending.TIMED_OUT);
        }
    }

    @ParameterizedTest
    @FieldSource("WITHOUT_A_TIME_LIMIT")
    void aLibraryWithoutATimeLimitSettlesWhatIsPendingAtItsEnd(Named library) throws Exception {
        var ending = new CompletableFuture<Ending>();
        try (var counters = library.open(SHORT)) {
            assertThat(counters.increment("called")).isEqualTo(Ending.OK);
            pause();

            counters.send("sent", ending::complete);

            assertThatThrownBy(() -> ending.get(3 * SHORT.toMillis(), TimeUnit.MILLISECONDS))
                    .isInstanceOf(TimeoutException.class);
        }

        assertThat(ending.get(ENOUGH.toSeconds(), TimeUnit.SECONDS)).isEqualTo(Ending.LOST);
    }

    @ParameterizedTest
    @FieldSource("REFUSING")
    void whatIsBeyondTheBoundIsRefusedAndTheRestIsCarriedOut(Named library) throws Exception {
        int beyond = 100;
        int bound = library.source.inFlight();
        var endings = new ConcurrentLinkedQueue<Ending>();
        var refused = new CountDownLatch(beyond);
        var settled = new CountDownLatch(bound + beyond);
        try (var counters = library.open(ENOUGH)) {
            assertThat(counters.increment("called")).isEqualTo(Ending.OK);
            pause();

            for (int i = 0; i < bound + beyond; i++) {
                counters.send("sent", ending -> {
                    endings.add(ending);
                    settled.countDown();
                    refused.countDown();
                });
            }
            boolean refusedAtOnce = refused.await(ENOUGH.toSeconds(), TimeUnit.SECONDS);
            var beforeAnyReply = new ArrayList<>(endings);
            control.clientUnpause();

            assertThat(refusedAtOnce).isTrue();
            assertThat(beforeAnyReply).hasSize(beyond).containsOnly(Ending.REFUSED);
            assertThat(settled.await(ENOUGH.toSeconds(), TimeUnit.SECONDS)).isTrue();
        }

        assertThat(endings).filteredOn(Ending.OK::equals).hasSize(bound);
        assertThat(control.get("sent")).isEqualTo(Integer.toString(bound));
    }

    @ParameterizedTest
    @FieldSource("ALL")
    void aConnectionThatEndsLosesWhatIsPendingOrSendsItAgain(Named library) throws Exception {
        try (var counters = library.open(SHORT)) {
            assertThat(counters.increment("called")).isEqualTo(Ending.OK);
            control.clientKill(new ClientKillParams().skipMe(ClientKillParams.SkipMe.YES));

            var ending = counters.increment("called");

            assertThat(ending).isNotIn(Ending.ERROR, Ending.REFUSED);
            assertThat(control.get("called")).isEqualTo(ending == Ending.OK ? "2" : "1");
        }
    }

    @ParameterizedTest
    @FieldSource("ALL")
    void afterItsEndNoThreadIsLeft(Named library) throws Exception {
        var before = Thread.getAllStackTraces().keySet();

        var counters = library.open(ENOUGH);
        counters.increment("called");
        counters.close();

        assertThat(LeftThreads.since(before)).isEmpty();
    }

    @ParameterizedTest
    @FieldSource("ALL")
    void onlyALibraryThatSaysSoCanSend(Named library) throws Exception {
        try (var counters = library.open(ENOUGH)) {
            if (!library.source.asynchronous()) {
                assertThatThrownBy(() -> counters.send("sent", ending -> {}))
                        .isInstanceOf(UnsupportedOperationException.class);
            }
        }

        assertThat(library.source.note()).isNotBlank();
    }
}
