// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import java.time.Duration;

/**
 * How a source consumes a queue. All consumers of a queue are given the same {@code lease} and {@code maxDeliveries}.
 *
 * @param consumer its name among the consumers, printable ASCII without blanks, at most 200 characters; empty, the default, for a
 *     name that nobody else has. A name of one's own is used by one source at a time: what that source's predecessor of the same
 *     name had in hand when it died is then delivered at once, instead of after the lease
 * @param batch how many tasks are fetched at once, 1 to 10,000; by default 100, with which the way to the server and back hardly
 *     counts
 * @param lease how long a consumer may be silent before its tasks are given to others, 100 ms to 24 h; by default 30 s, as the
 *     visibility timeout of well-known queues. A source that lives speaks up every third of it, however long its tasks take; for a
 *     connection that hangs not to keep it from that it is at least three times the client's command timeout. It is also how long a
 *     task that failed waits for its next delivery
 * @param maxDeliveries how often a task is delivered before it is put aside, 1 to 1,000,000; by default 5. A task that ends its
 *     consumer each time, or fails each time, would otherwise come back for ever
 * @param untilEmpty whether the source ends when the queue holds nothing new and nobody has a task in hand; by default it waits for
 *     more until its flow is stopped
 * @param patience for how long what a lost server or connection made fail is tried again before the source gives up, 0 to 24 h; by
 *     default 1 min, in which a server restarts
 */
public record ConsumerOptions(
        String consumer, int batch, Duration lease, int maxDeliveries, boolean untilEmpty, Duration patience) {

    private static final Duration MOST = Duration.ofHours(24);

    /** The defaults. */
    public static final ConsumerOptions DEFAULT =
            new ConsumerOptions("", 100, Duration.ofSeconds(30), 5, false, Duration.ofMinutes(1));

    public ConsumerOptions {
        if (consumer.length() > 200 || !consumer.chars().allMatch(c -> c > 0x20 && c < 0x7f)) {
            throw new IllegalArgumentException("consumer is no name: " + consumer
                    + ". It is printable ASCII without blanks, at most 200 characters, or empty.");
        }
        Ranges.check("batch", batch, 1, 10_000);
        Ranges.check("lease", lease, Duration.ofMillis(100), MOST);
        Ranges.check("maxDeliveries", maxDeliveries, 1, 1_000_000);
        Ranges.check("patience", patience, Duration.ZERO, MOST);
    }

    public ConsumerOptions consumer(String name) {
        return new ConsumerOptions(name, batch, lease, maxDeliveries, untilEmpty, patience);
    }

    public ConsumerOptions batch(int tasks) {
        return new ConsumerOptions(consumer, tasks, lease, maxDeliveries, untilEmpty, patience);
    }

    public ConsumerOptions lease(Duration time) {
        return new ConsumerOptions(consumer, batch, time, maxDeliveries, untilEmpty, patience);
    }

    public ConsumerOptions maxDeliveries(int most) {
        return new ConsumerOptions(consumer, batch, lease, most, untilEmpty, patience);
    }

    /** Ends when there is nothing left. */
    public ConsumerOptions endingWhenEmpty() {
        return new ConsumerOptions(consumer, batch, lease, maxDeliveries, true, patience);
    }

    public ConsumerOptions patience(Duration time) {
        return new ConsumerOptions(consumer, batch, lease, maxDeliveries, untilEmpty, time);
    }
}
