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

@Timeout(20)
class TransitTest {

    private static final int CHUNK = Transit.CHUNK_BYTES;

    @Test
    void bytesLeaveInTheirOrderAndTheEndBehindThem() throws Exception {
        Transit transit = new Transit(Faults.NONE);

        put(transit, "one");
        put(transit, "two");
        transit.senderEnded(Ending.CLOSE);

        assertThat(List.of(text(transit.take()), text(transit.take()))).containsExactly("one", "two");
        assertThat(transit.take())
                .isInstanceOfSatisfying(
                        Parcel.End.class, end -> assertThat(end.ending()).isEqualTo(Ending.CLOSE));
    }

    @Test
    void everyByteIsAWriteOfItsOwn() throws Exception {
        Transit transit = new Transit(Faults.NONE.withWriteBytes(1));
        put(transit, "abc");
        put(transit, "d");

        List<String> writes = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            writes.add(text(transit.take()));
        }

        assertThat(writes).containsExactly("a", "b", "c", "d");
    }

    @Test
    void nothingLeavesBeforeItsDelayAndAllOfItLeavesThen() throws Exception {
        Transit transit = new Transit(Faults.NONE.withDelay(Duration.ofMillis(60)));
        long start = System.nanoTime();
        for (int i = 0; i < 100; i++) {
            put(transit, "x");
        }

        transit.take();
        long first = System.nanoTime() - start;
        for (int i = 1; i < 100; i++) {
            transit.take();
        }
        long last = System.nanoTime() - start;

        assertThat(first).isGreaterThanOrEqualTo(Duration.ofMillis(60).toNanos());
        assertThat(last).isLessThan(Duration.ofSeconds(3).toNanos());
    }

    @Test
    void aNewDelayHoldsForWhatIsUnderWay() throws Exception {
        Transit transit = new Transit(Faults.NONE.withDelay(Duration.ofHours(1)));
        put(transit, "x");
        CompletableFuture<Parcel> taken = inBackground(transit::take);

        assertThatThrownBy(() -> taken.get(20, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
        transit.faults(Faults.NONE);

        assertThat(text(taken.get(5, TimeUnit.SECONDS))).isEqualTo("x");
    }

    @Test
    void aThrottleLetsSoManyBytesPassInASecond() throws Exception {
        Transit transit = new Transit(Faults.NONE.withBytesPerSecond(20_000));
        transit.put(new byte[2000], 2000);
        long start = System.nanoTime();

        int taken = 0;
        while (taken < 2000) {
            Parcel.Bytes piece = (Parcel.Bytes) transit.take();
            taken += piece.length();
            double elapsed = (System.nanoTime() - start) / 1e9;
            assertThat(taken).isLessThanOrEqualTo((int) (elapsed * 20_000) + 201);
        }

        assertThat(System.nanoTime() - start)
                .isBetween(
                        Duration.ofMillis(90).toNanos(), Duration.ofSeconds(3).toNanos());
    }

    @Test
    void aLiftedThrottleLeavesNoDebt() throws Exception {
        Transit transit = new Transit(Faults.NONE.withBytesPerSecond(1));
        put(transit, "abc");
        transit.take();

        transit.faults(Faults.NONE);
        long start = System.nanoTime();
        String rest = text(transit.take());

        assertThat(rest).isEqualTo("bc");
        assertThat(System.nanoTime() - start).isLessThan(Duration.ofMillis(900).toNanos());
    }

    @Test
    void aCutLetsExactlyItsBytesPass() throws Exception {
        Transit transit = new Transit(Faults.NONE);
        put(transit, "before");
        transit.take();

        transit.cut(4, Ending.RESET);
        put(transit, "abc");
        put(transit, "def");

        assertThat(List.of(text(transit.take()), text(transit.take()))).containsExactly("abc", "d");
        assertThat(transit.take())
                .isInstanceOfSatisfying(
                        Parcel.End.class, end -> assertThat(end.ending()).isEqualTo(Ending.RESET));
    }

    @Test
    void memoryIsBoundedWithAndWithoutADelay() throws Exception {
        for (Duration delay : List.of(Duration.ZERO, Duration.ofHours(1))) {
            Transit transit = new Transit(Faults.NONE.withDelay(delay).withStalled(true));
            int chunks = (delay.isZero() ? 48 : 16 * 1024) / 16;
            for (int i = 0; i < chunks; i++) {
                transit.put(new byte[CHUNK], CHUNK);
            }
            CompletableFuture<Boolean> oneMore = inBackground(() -> {
                put(transit, "x");
                return true;
            });

            assertThatThrownBy(() -> oneMore.get(20, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
            transit.faults(Faults.NONE);
            for (int i = 0; i < chunks; i++) {
                transit.take();
            }

            assertThat(oneMore.get(5, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void onceItEndedWhatIsPutIsDroppedAndNobodyWaits() throws Exception {
        Transit transit = new Transit(Faults.NONE.withStalled(true));
        put(transit, "dropped");

        boolean first = transit.stop(Ending.SILENCE);
        boolean second = transit.stop(Ending.CLOSE);
        for (int i = 0; i < 10; i++) {
            transit.put(new byte[CHUNK], CHUNK);
        }
        boolean overBeforeTheSender = transit.isOver();
        transit.senderEnded(Ending.CLOSE);

        assertThat(first).isTrue();
        assertThat(second).isFalse();
        assertThat(transit.isSilent()).isTrue();
        assertThat(overBeforeTheSender).isFalse();
        assertThat(transit.isOver()).isTrue();
    }

    @Test
    void onceItEndedWhatWasUnderWayDoesNotLeave() throws Exception {
        Transit transit = new Transit(Faults.NONE.withStalled(true));
        put(transit, "dropped");
        transit.stop(Ending.CLOSE);
        CompletableFuture<Parcel> taken = new CompletableFuture<>();
        Thread taker = Thread.ofPlatform().start(() -> {
            try {
                taken.complete(transit.take());
            } catch (InterruptedException e) {
                taken.completeExceptionally(e);
            }
        });

        transit.faults(Faults.NONE);

        assertThatThrownBy(() -> taken.get(20, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
        taker.interrupt();
        taker.join();
        assertThat(taken).isCompletedExceptionally();
    }

    private static void put(Transit transit, String text) throws InterruptedException {
        transit.put(text.getBytes(US_ASCII), text.length());
    }

    private static String text(Parcel parcel) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ((Parcel.Bytes) parcel).writeTo(out);
        return out.toString(US_ASCII);
    }
}
