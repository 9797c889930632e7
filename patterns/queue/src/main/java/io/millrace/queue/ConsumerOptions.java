// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.Setting;
import io.millrace.client.Setting.Unit;
import java.time.Duration;

/**
 * Options of a {@link QueueSource}. All consumers of a queue must use the same {@code lease} and {@code maxDeliveries}.
 *
 * @param consumer the name of the consumer: printable ASCII without blanks, at most 200 characters. An empty name, the
 *     default, is replaced by a generated unique name. Only one source at a time may use a configured name. If a
 *     process ends and a new source starts with the same name, the new source receives the pending tasks of the old
 *     source immediately. The new source does not wait until the lease of the old source has expired
 * @param batch maximum number of tasks per fetch, {@link #BATCH}
 * @param lease time after which the pending tasks of a silent consumer are delivered to other consumers, {@link
 *     #LEASE}. A source renews its lease after each third of this time, even while its tasks run. The lease should be
 *     at least three times the command timeout of the client: a command on a hanging connection then times out early
 *     enough for the next renewal. A failed task is also delivered again after this time
 * @param maxDeliveries maximum number of deliveries of a task before it is dead-lettered, {@link #MAX_DELIVERIES}
 * @param endWhenEmpty whether the source ends when the queue has no new task and no consumer has a pending task. The
 *     default is false: the source waits for tasks until its flow is stopped
 * @param retryTimeout time for which temporary failures of the server or the connection are retried, {@link
 *     #RETRY_TIMEOUT}
 */
public record ConsumerOptions(
        String consumer, int batch, Duration lease, int maxDeliveries, boolean endWhenEmpty, Duration retryTimeout) {

    /**
     * Range: 1 to 10,000. Default: 100. One round trip fetches up to 100 tasks, so the cost of the round trip per task
     * is negligible.
     */
    public static final Setting<Integer> BATCH =
            new Setting<>("batch", 1, 10_000, 100, Unit.COUNT, "Maximum number of tasks per fetch.");

    /** Range: 100 ms to 24 h. Default: 30 s, the same as the default visibility timeout of Amazon SQS. */
    public static final Setting<Duration> LEASE = new Setting<>(
            "lease",
            Duration.ofMillis(100),
            Duration.ofHours(24),
            Duration.ofSeconds(30),
            Unit.TIME,
            "Time after which the pending tasks of a silent consumer are delivered to other consumers.");

    /**
     * Range: 1 to 1,000,000. Default: 5. Without a limit, a task that always fails, or always kills its consumer, would
     * be delivered forever.
     */
    public static final Setting<Integer> MAX_DELIVERIES = new Setting<>(
            "maxDeliveries",
            1,
            1_000_000,
            5,
            Unit.COUNT,
            "Maximum number of deliveries of a task before it is dead-lettered.");

    /** Range: zero to 24 h. Default: 1 min, enough for a server restart. */
    public static final Setting<Duration> RETRY_TIMEOUT = new Setting<>(
            "retryTimeout",
            Duration.ZERO,
            Duration.ofHours(24),
            Duration.ofMinutes(1),
            Unit.TIME,
            "Time for which failures of the server or the connection are retried.");

    /** The default options. */
    public static final ConsumerOptions DEFAULT = new ConsumerOptions(
            "",
            BATCH.defaultValue(),
            LEASE.defaultValue(),
            MAX_DELIVERIES.defaultValue(),
            false,
            RETRY_TIMEOUT.defaultValue());

    public ConsumerOptions {
        if (consumer.length() > 200 || !consumer.chars().allMatch(c -> c > 0x20 && c < 0x7f)) {
            throw new IllegalArgumentException("the consumer name is not valid: consumer=" + consumer
                    + ". Use at most 200 printable ASCII characters without blanks, or an empty name.");
        }
        BATCH.check(batch);
        LEASE.check(lease);
        MAX_DELIVERIES.check(maxDeliveries);
        RETRY_TIMEOUT.check(retryTimeout);
    }

    public ConsumerOptions consumer(String name) {
        return new ConsumerOptions(name, batch, lease, maxDeliveries, endWhenEmpty, retryTimeout);
    }

    public ConsumerOptions batch(int tasks) {
        return new ConsumerOptions(consumer, tasks, lease, maxDeliveries, endWhenEmpty, retryTimeout);
    }

    public ConsumerOptions lease(Duration time) {
        return new ConsumerOptions(consumer, batch, time, maxDeliveries, endWhenEmpty, retryTimeout);
    }

    public ConsumerOptions maxDeliveries(int most) {
        return new ConsumerOptions(consumer, batch, lease, most, endWhenEmpty, retryTimeout);
    }

    /** Returns a copy with {@link #endWhenEmpty} set to true: the source ends when the queue is empty. */
    public ConsumerOptions endingWhenEmpty() {
        return new ConsumerOptions(consumer, batch, lease, maxDeliveries, true, retryTimeout);
    }

    public ConsumerOptions retryTimeout(Duration time) {
        return new ConsumerOptions(consumer, batch, lease, maxDeliveries, endWhenEmpty, time);
    }
}
