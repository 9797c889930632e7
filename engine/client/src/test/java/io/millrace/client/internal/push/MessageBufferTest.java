// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.push;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.Message;
import io.millrace.client.Topic;
import java.util.ArrayDeque;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MessageBufferTest {

    private static final int CAPACITY = 8;
    private static final long CAPACITY_BYTES = 1_000;

    @Test
    void newestMessagesWithinBothLimitsAreKeptAndAllOthersAreCounted() {
        long seed = System.nanoTime();
        System.out.println("MessageBufferTest: seed=" + seed);
        Random random = new Random(seed);
        MessageBuffer buffer = new MessageBuffer(CAPACITY, CAPACITY_BYTES);
        ArrayDeque<Message> expected = new ArrayDeque<>();
        long dropped = 0;
        for (int step = 0; step < 20_000; step++) {
            if (random.nextInt(3) > 0) {
                Message message = message(random.nextInt(random.nextInt(10) == 0 ? 2_000 : 200));
                buffer.add(message);
                expected.add(message);
                while (expected.size() > CAPACITY || (expected.size() > 1 && bytes(expected) > CAPACITY_BYTES)) {
                    expected.remove();
                    dropped++;
                }
            } else {
                assertThat(buffer.poll()).as("seed=%d, step=%d", seed, step).isSameAs(expected.poll());
            }
            assertThat(buffer.size()).as("seed=%d, step=%d", seed, step).isEqualTo(expected.size());
            assertThat(buffer.dropped()).as("seed=%d, step=%d", seed, step).isEqualTo(dropped);
        }
        assertThat(dropped).as("seed=%d", seed).isPositive();
    }

    private static Message message(int payloadBytes) {
        byte[] channel = {1, 2, 3};
        return new Message(Topic.channel(channel), channel, new byte[payloadBytes]);
    }

    /** Each message also counts its topic and its channel, with three bytes each. */
    private static long bytes(ArrayDeque<Message> messages) {
        return messages.stream()
                .mapToLong(message -> 6 + message.payload().length)
                .sum();
    }
}
