// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.Outcome;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.client.exception.InterruptedCommandException;
import io.millrace.client.exception.RedisException;
import io.millrace.client.exception.RefusedException;
import io.millrace.client.exception.TimedOutException;
import io.millrace.resp.Reply;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RedisCircuitTest {

    private final AtomicLong nanos = new AtomicLong(1_000);
    private final RedisCircuit circuit = new RedisCircuit("texts", nanos::get);

    private void fail(int times) {
        for (int i = 0; i < times; i++) {
            circuit.failed(new TimedOutException("GET timed out"));
        }
    }

    private static RedisException error(String message) {
        return new ErrorReplyException("GET", new Reply.ErrorReply(message));
    }

    @Test
    void circuitOpensAfterThreeConsecutiveFailures() {
        fail(2);
        circuit.succeeded();
        fail(2);
        assertThat(circuit.isOpen()).isFalse();

        fail(1);

        assertThat(circuit.isOpen()).isTrue();
    }

    @Test
    void firstReplyClosesTheCircuit() {
        fail(10);

        circuit.ended(new Outcome.TimedOut());
        assertThat(circuit.isOpen()).isTrue();
        circuit.succeeded();

        assertThat(circuit.isOpen()).isFalse();
    }

    @Test
    void oneProbeRunsAtATimeAndTheNextProbeBeginsAfterAPause() {
        fail(3);

        assertThat(circuit.tryBeginProbe()).isTrue();
        assertThat(circuit.tryBeginProbe()).isFalse();
        circuit.endProbe();
        assertThat(circuit.tryBeginProbe()).as("probe during the pause").isFalse();
        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(100));

        assertThat(circuit.tryBeginProbe()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"LOADING Redis is loading", "BUSY a script runs", "MASTERDOWN no primary", "CLUSTERDOWN"})
    void errorThatPreventsReadsIsAFailure(String message) {
        for (int i = 0; i < 3; i++) {
            circuit.failed(error(message));
        }

        assertThat(circuit.isOpen()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"READONLY You can't write against a read only replica.", "WRONGTYPE not a string", "NOPERM"})
    void otherErrorRepliesShowThatRedisAnswers(String message) {
        fail(3);

        circuit.failed(error(message));

        assertThat(circuit.isOpen()).isFalse();
    }

    @Test
    void interruptSaysNothingAboutRedis() {
        for (int i = 0; i < 10; i++) {
            circuit.failed(new InterruptedCommandException("interrupted", false));
        }
        assertThat(circuit.isOpen()).isFalse();

        fail(3);
        circuit.failed(new InterruptedCommandException("interrupted", false));

        assertThat(circuit.isOpen()).isTrue();
    }

    @Test
    void commandsThatWaitInVainForAFullWindowAreFailures() {
        circuit.failed(new RefusedException("the window is full"));
        circuit.ended(new Outcome.Refused());
        assertThat(circuit.isOpen()).isFalse();

        circuit.failed(new RefusedException("the window is full"));

        assertThat(circuit.isOpen()).isTrue();
    }
}
