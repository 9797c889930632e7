// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.connections;

import io.millrace.lab.client.BorrowingClient.Borrowed;
import io.millrace.lab.client.ClientAdapter;
import io.millrace.lab.client.Operation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;

/** A producer puts commands that write into a bounded queue. Consumers take the commands and send pipelines. */
final class QueuePattern {

    private static final int CAPACITY = 10_000;
    private static final Operation END = new Operation.Get("");

    private QueuePattern() {}

    /** The pattern with {@code consumers} connections and pipelines of at most {@code length} commands. */
    static SendPattern of(int consumers, int length) {
        return new SendPattern(
                "a producer, a bounded queue, and " + consumers + " consumers with pipelines of at most " + length,
                consumers,
                false,
                (adapter, list) -> send(adapter, list, consumers, length));
    }

    /** A failure of one thread interrupts the others, so no thread waits for a thread that has ended. */
    private static void send(ClientAdapter adapter, CommandList list, int consumers, int length) throws Exception {
        ArrayBlockingQueue<Operation> queue = new ArrayBlockingQueue<>(CAPACITY);
        ConcurrentCallers.run(ThreadKind.PLATFORM, consumers + 1, thread -> {
            if (thread == 0) {
                for (Operation command : list.commands()) {
                    queue.put(command);
                }
                for (int i = 0; i < consumers; i++) {
                    queue.put(END);
                }
            } else {
                consume(adapter, queue, length);
            }
        });
    }

    private static void consume(ClientAdapter adapter, ArrayBlockingQueue<Operation> queue, int length)
            throws Exception {
        try (Borrowed connection = SendPattern.pool(adapter).borrow()) {
            List<Operation> batch = new ArrayList<>(length);
            for (Operation next = queue.take(); !next.equals(END); next = queue.take()) {
                batch.add(next);
                queue.drainTo(batch, length - 1);
                int taken = batch.size();
                batch.removeIf(END::equals);
                for (int i = batch.size(); i < taken; i++) {
                    queue.put(END); // for another consumer
                }
                SendPattern.batch(batch, connection::batch);
                batch.clear();
            }
        }
    }
}
