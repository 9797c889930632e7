// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Command;
import io.millrace.client.command.ListEnd;
import io.millrace.client.command.Lists;
import io.millrace.client.exception.ErrorReplyException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** The keys of a {@link ListQueue}. */
record ListKeys(String queue) {

    private static final long RETRY_NANOS = 100_000_000;

    ListKeys {
        String unused = KeyNames.additional(queue, ""); // throws an exception if the key is invalid
    }

    String redeliveries() {
        return KeyNames.additional(queue, "again");
    }

    String consumers() {
        return KeyNames.additional(queue, "consumers");
    }

    String pendingOf(String consumer) {
        return KeyNames.additional(queue, "hands:" + consumer);
    }

    String dead() {
        return KeyNames.additional(queue, "dead");
    }

    /**
     * Waits until the queue has an element, for at most {@code wait}. A server without free memory rejects the waiting
     * command. In this case the method pauses for at most 100 ms and returns.
     */
    void awaitElement(RedisClient client, Duration wait) {
        try {
            client.call(awaitElementCommand(wait));
        } catch (ErrorReplyException e) {
            if (!e.code().equals("OOM")) {
                throw e;
            }
            LockSupport.parkNanos(Math.min(wait.toNanos(), RETRY_NANOS));
        }
    }

    /** Returns a command that waits until the queue has an element, and leaves the list unchanged. */
    Command<Boolean> awaitElementCommand(Duration wait) {
        return Lists.awaitMove(wait, queue, ListEnd.RIGHT, queue, ListEnd.RIGHT).as(reply -> true);
    }
}
