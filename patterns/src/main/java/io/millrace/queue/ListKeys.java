// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.Command;
import io.millrace.client.ErrorReplyException;
import io.millrace.client.ListEnd;
import io.millrace.client.Lists;
import io.millrace.client.RedisClient;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** The keys of a queue that is a list. */
record ListKeys(String queue) {

    private static final long LOOK_AGAIN_NANOS = 100_000_000;

    ListKeys {
        String unused = KeyNames.beside(queue, ""); // or is refused
    }

    String again() {
        return KeyNames.beside(queue, "again");
    }

    String consumers() {
        return KeyNames.beside(queue, "consumers");
    }

    String hands(String consumer) {
        return KeyNames.beside(queue, "hands:" + consumer);
    }

    String dead() {
        return KeyNames.beside(queue, "dead");
    }

    /** Waits until the queue may have an element. A server that is full refuses to wait: then it is for a moment. */
    void awaitFilled(RedisClient client, Duration wait) {
        try {
            client.call(untilFilled(wait));
        } catch (ErrorReplyException e) {
            if (!e.code().equals("OOM")) {
                throw e;
            }
            LockSupport.parkNanos(Math.min(wait.toNanos(), LOOK_AGAIN_NANOS));
        }
    }

    /** Waits until the queue has an element, and leaves it there; the element is not looked at. */
    Command<Boolean> untilFilled(Duration wait) {
        return Lists.awaitMove(wait, queue, ListEnd.RIGHT, queue, ListEnd.RIGHT).as(reply -> true);
    }
}
