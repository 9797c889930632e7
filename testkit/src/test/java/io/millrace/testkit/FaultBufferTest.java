// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import static io.millrace.testkit.FaultProxyTest.inBackground;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(100)
class FaultBufferTest {

    private static final int CHUNK = FaultBuffer.CHUNK_BYTES;

    @Test
    void takeReturnsTheBytesInOrderAndThenTheEndOfTheStream() throws Exception {
        FaultBuffer faultBuffer = new FaultBuffer(Faults.NONE);

        put(faultBuffer, "one");
        put(faultBuffer, "two");
        faultBuffer.senderEnded(ConnectionEnd.CLOSE);

        assertThat(List.of(text(faultBuffer.take()), text(faultBuffer.take()))).containsExactly("one", "two");
        assertThat(faultBuffer.take())
                .isInstanceOfSatisfying(
                        StreamChunk.End.class, end -> assertThat(end.ending()).isEqualTo(ConnectionEnd.CLOSE));
    }

    @Test
    void eachByteIsWrittenSeparatelyIfTheLimitIsOneBytePerWrite() throws Exception {
        FaultBuffer faultBuffer = new FaultBuffer(Faults.NONE.withWriteBytes(1));
        put(faultBuffer, "abc");
        put(faultBuffer, "d");

        List<String> writes = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            writes.add(text(faultBuffer.take()));
        }

        assertThat(writes).containsExactly("a", "b", "c", "d");
    }

    @Test
    void bytesCanBeTakenOnlyAfterTheirDelay() throws Exception {
        FaultBuffer faultBuffer = new FaultBuffer(Faults.NONE.withDelay(Duration.ofMillis(60)));
        long start = System.nanoTime();
        for (int i = 0; i < 100; i++) {
            put(faultBuffer, "x");
        }

        faultBuffer.take();
        long first = System.nanoTime() - start;
        for (int i = 1; i < 100; i++) {
            faultBuffer.take();
        }
        long last = System.nanoTime() - start;

        assertThat(first).isGreaterThanOrEqualTo(Duration.ofMillis(60).toNanos());
        assertThat(last).isLessThan(Duration.ofSeconds(30).toNanos());
    }

    @Test
    void newDelayAlsoAppliesToBytesThatAreAlreadyInTheBuffer() throws Exception {
        FaultBuffer faultBuffer = new FaultBuffer(Faults.NONE.withDelay(Duration.ofHours(1)));
        put(faultBuffer, "x");
        CompletableFuture<StreamChunk> taken = inBackground(faultBuffer::take);

        assertThatThrownBy(() -> taken.get(20, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
        faultBuffer.faults(Faults.NONE);

        assertThat(text(taken.get(50, TimeUnit.SECONDS))).isEqualTo("x");
    }

    @Test
    void bytesAreTakenNoFasterThanTheLimitOfBytesPerSecond() throws Exception {
        FaultBuffer faultBuffer = new FaultBuffer(Faults.NONE.withBytesPerSecond(20_000));
        faultBuffer.put(new byte[2000], 2000);
        long start = System.nanoTime();

        int taken = 0;
        while (taken < 2000) {
            StreamChunk.Bytes piece = (StreamChunk.Bytes) faultBuffer.take();
            taken += piece.length();
            double elapsed = (System.nanoTime() - start) / 1e9;
            assertThat(taken).isLessThanOrEqualTo((int) (elapsed * 20_000) + 201);
        }

        assertThat(System.nanoTime() - start)
                .isBetween(
                        Duration.ofMillis(90).toNanos(), Duration.ofSeconds(30).toNanos());
    }

    @Test
    void bytesAreTakenAtOnceAfterTheLimitOfBytesPerSecondIsRemoved() throws Exception {
        FaultBuffer faultBuffer = new FaultBuffer(Faults.NONE.withBytesPerSecond(1));
        put(faultBuffer, "a".repeat(1_000));
        faultBuffer.take();

        faultBuffer.faults(Faults.NONE);
        // With the old limit of one byte per second, the rest would take 999 s.
        long start = System.nanoTime();
        String rest = text(faultBuffer.take());

        assertThat(rest).hasSize(999);
        assertThat(System.nanoTime() - start).isLessThan(Duration.ofSeconds(60).toNanos());
    }

    @Test
    void takeReturnsExactlyTheBytesBeforeTheCutAndThenTheEnd() throws Exception {
        FaultBuffer faultBuffer = new FaultBuffer(Faults.NONE);
        put(faultBuffer, "before");
        faultBuffer.take();

        faultBuffer.cut(4, ConnectionEnd.RESET);
        put(faultBuffer, "abc");
        put(faultBuffer, "def");

        assertThat(List.of(text(faultBuffer.take()), text(faultBuffer.take()))).containsExactly("abc", "d");
        assertThat(faultBuffer.take())
                .isInstanceOfSatisfying(
                        StreamChunk.End.class, end -> assertThat(end.ending()).isEqualTo(ConnectionEnd.RESET));
    }

    @Test
    void putWaitsWhileTheBufferIsFullBothWithAndWithoutADelay() throws Exception {
        for (Duration delay : List.of(Duration.ZERO, Duration.ofHours(1))) {
            FaultBuffer faultBuffer =
                    new FaultBuffer(Faults.NONE.withDelay(delay).withStalled(true));
            int chunks = (delay.isZero() ? 48 : 16 * 1024) / 16;
            for (int i = 0; i < chunks; i++) {
                faultBuffer.put(new byte[CHUNK], CHUNK);
            }
            CompletableFuture<Boolean> oneMore = inBackground(() -> {
                put(faultBuffer, "x");
                return true;
            });

            assertThatThrownBy(() -> oneMore.get(20, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
            faultBuffer.faults(Faults.NONE);
            for (int i = 0; i < chunks; i++) {
                faultBuffer.take();
            }

            assertThat(oneMore.get(50, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void putDropsItsBytesAndDoesNotBlockAfterTheStreamHasEnded() throws Exception {
        FaultBuffer faultBuffer = new FaultBuffer(Faults.NONE.withStalled(true));
        put(faultBuffer, "dropped");

        boolean first = faultBuffer.stop(ConnectionEnd.SILENCE);
        boolean second = faultBuffer.stop(ConnectionEnd.CLOSE);
        for (int i = 0; i < 10; i++) {
            faultBuffer.put(new byte[CHUNK], CHUNK);
        }
        boolean overBeforeTheSender = faultBuffer.isOver();
        faultBuffer.senderEnded(ConnectionEnd.CLOSE);

        assertThat(first).isTrue();
        assertThat(second).isFalse();
        assertThat(faultBuffer.isSilent()).isTrue();
        assertThat(overBeforeTheSender).isFalse();
        assertThat(faultBuffer.isOver()).isTrue();
    }

    @Test
    void bytesInTheBufferAreDroppedWhenTheStreamEnds() throws Exception {
        FaultBuffer faultBuffer = new FaultBuffer(Faults.NONE.withStalled(true));
        put(faultBuffer, "dropped");
        faultBuffer.stop(ConnectionEnd.CLOSE);
        CompletableFuture<StreamChunk> taken = new CompletableFuture<>();
        Thread taker = Thread.ofPlatform().start(() -> {
            try {
                taken.complete(faultBuffer.take());
            } catch (InterruptedException e) {
                taken.completeExceptionally(e);
            }
        });

        faultBuffer.faults(Faults.NONE);

        assertThatThrownBy(() -> taken.get(20, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
        taker.interrupt();
        taker.join();
        assertThat(taken).isCompletedExceptionally();
    }

    private static void put(FaultBuffer faultBuffer, String text) throws InterruptedException {
        faultBuffer.put(text.getBytes(US_ASCII), text.length());
    }

    private static String text(StreamChunk streamChunk) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ((StreamChunk.Bytes) streamChunk).writeTo(out);
        return out.toString(US_ASCII);
    }
}
