// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.push;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.resp.Reply;
import io.millrace.testkit.interleave.InterleavingScenario;
import io.millrace.testkit.interleave.Schedule;
import io.millrace.testkit.interleave.Schedules;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Runs two readers and the listener in thousands of schedules, each generated from a seed. */
class PushInterleavingTest {

    private static final int SCHEDULES = Integer.getInteger("millrace.schedules", 600);

    @Test
    void listenerReceivesEachPushOnceAndInTheOrderOfItsReader() {
        Schedules.of(TwoReaders.class)
                .instrumenting("io.millrace.client.internal")
                .explore(SCHEDULES);
    }

    /** If a push is not delivered, the latch is not released, and the schedule ends in a deadlock. */
    static class TwoReaders implements InterleavingScenario {
        @Override
        public void run(Schedule schedule) throws Exception {
            ConcurrentLinkedQueue<Long> delivered = new ConcurrentLinkedQueue<>();
            CountDownLatch all = new CountDownLatch(6);
            PushDispatcher dispatcher = new PushDispatcher(push -> {
                delivered.add(((Reply.IntegerReply) push.items().getFirst()).value());
                all.countDown();
            });
            for (int reader = 0; reader < 2; reader++) {
                long from = reader * 10L;
                schedule.platformThread("reader " + reader, () -> {
                    for (long i = from; i < from + 3; i++) {
                        dispatcher.offer(new Reply.Push(List.of(new Reply.IntegerReply(i))));
                    }
                });
            }
            all.await();
            schedule.join();

            assertThat(delivered).containsExactlyInAnyOrder(0L, 1L, 2L, 10L, 11L, 12L);
            assertThat(delivered.stream().filter(push -> push < 10)).isSorted();
            assertThat(delivered.stream().filter(push -> push >= 10)).isSorted();
            assertThat(dispatcher.dropped()).isZero();
        }
    }
}
