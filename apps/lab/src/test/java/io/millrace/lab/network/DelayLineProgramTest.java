// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.testkit.ManualClock;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A reader and a deliverer of many directions, some of whose destinations are stuck for a while, in one thread and on a clock that is set. */
class DelayLineProgramTest {

    private static final Duration DELAY = Duration.ofMillis(3);
    private static final Limits LIMITS = new Limits(Limits.LEAST_DIRECTION_BYTES, 3 * Limits.LEAST_DIRECTION_BYTES);
    private static final int STREAM_BYTES = 400_000;
    private static final int DIRECTIONS = 12;

    private static final class Direction {

        private final byte[] stream = new byte[STREAM_BYTES];
        private final ByteArrayOutputStream out = new ByteArrayOutputStream();
        private final Deque<Item> backlog = new ArrayDeque<>();
        private final Account account = new Account(() -> this.stopped = false);
        private int sent;
        private boolean stopped;
        private boolean stuck;
    }

    private record Item(Direction direction, int from, int length, long sentNanos) {}

    private final ManualClock clock = new ManualClock();
    private final DelayLine<Item> line = new DelayLine<>(DELAY, LIMITS, clock);
    private final List<Direction> directions =
            IntStream.range(0, DIRECTIONS).mapToObj(i -> new Direction()).toList();

    private static List<Long> seeds() {
        return List.of(1L, 2L, 3L, new Random().nextLong());
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void allBytesComeOutUnchangedWithinTheLimitsWhateverTheOrderOfEvents(long seed) {
        System.out.println("seed " + seed);
        var random = new Random(seed);
        directions.forEach(direction -> random.nextBytes(direction.stream));

        for (int step = 0; step < 20_000; step++) {
            act(random);
            assertThat(line.heldBytes())
                    .isLessThanOrEqualTo(
                            LIMITS.allBytes() + DIRECTIONS * (long) (DelayLine.FLOOR_BYTES + DelayLine.OVERHEAD_BYTES));
        }
        directions.forEach(direction -> direction.stuck = false);
        for (int step = 0; step < 20_000 && line.heldBytes() + unsent() > 0; step++) {
            directions.forEach(direction -> send(direction, 50_000));
            clock.advance(DELAY);
            deliver();
        }

        assertThat(directions)
                .allSatisfy(direction -> assertThat(direction.out.toByteArray()).isEqualTo(direction.stream));
        assertThat(line.heldBytes()).isZero();
    }

    private void act(Random random) {
        var direction = directions.get(random.nextInt(DIRECTIONS));
        switch (random.nextInt(8)) {
            case 0 -> direction.stuck = !direction.stuck;
            case 1 -> clock.advance(Duration.ofNanos(random.nextInt(100_000)));
            case 2, 3 -> deliver();
            default -> send(direction, 1 + random.nextInt(random.nextBoolean() ? 100 : 50_000));
        }
    }

    private void send(Direction direction, int wanted) {
        if (direction.stopped || direction.sent == STREAM_BYTES) {
            return;
        }
        int length = line.room(direction.account, Math.min(wanted, STREAM_BYTES - direction.sent));
        if (length == 0) {
            direction.stopped = true;
            return;
        }
        line.offer(direction.account, new Item(direction, direction.sent, length, clock.getAsLong()), length);
        direction.sent += length;
        assertThat(direction.account.heldBytes).isLessThanOrEqualTo(LIMITS.directionBytes());
    }

    private void deliver() {
        var due = new ArrayList<Item>();
        line.takeDue(due, 7);
        for (var item : due) {
            assertThat(clock.getAsLong() - item.sentNanos).isGreaterThanOrEqualTo(DELAY.toNanos());
            item.direction.backlog.add(item);
        }
        directions.stream().filter(direction -> !direction.stuck).forEach(this::write);
    }

    private void write(Direction direction) {
        for (var item = direction.backlog.poll(); item != null; item = direction.backlog.poll()) {
            direction.out.write(direction.stream, item.from, item.length);
            line.release(direction.account, item.length);
        }
    }

    private long unsent() {
        return directions.stream()
                .mapToLong(direction -> STREAM_BYTES - direction.sent)
                .sum();
    }
}
