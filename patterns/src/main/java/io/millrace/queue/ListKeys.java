// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.Command;
import io.millrace.client.ListEnd;
import io.millrace.client.Lists;
import java.time.Duration;

/** The keys of a queue that is a list. */
record ListKeys(String queue) {

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

    /** Waits until the queue has an element, and leaves it there; the element is not looked at. */
    Command<Boolean> untilFilled(Duration wait) {
        return Lists.awaitMove(wait, queue, ListEnd.RIGHT, queue, ListEnd.RIGHT).as(reply -> true);
    }
}
