// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import java.util.concurrent.atomic.AtomicLong;

/** Creates unique ids of jobs: a random prefix and a number. Thread-safe. */
final class JobIds {

    private final String prefix = WorkerName.randomDigits() + "-";
    private final AtomicLong number = new AtomicLong();

    String next() {
        return prefix + number.incrementAndGet();
    }
}
