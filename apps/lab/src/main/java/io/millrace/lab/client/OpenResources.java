// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.client;

import java.util.ArrayDeque;
import java.util.Deque;

/** What an adapter has opened so far. Closes the newest first, and all of them even if one fails. */
final class OpenResources implements AutoCloseable {

    private final Deque<AutoCloseable> resources = new ArrayDeque<>();

    void add(AutoCloseable resource) {
        resources.addLast(resource);
    }

    @Override
    public void close() throws Exception {
        if (!resources.isEmpty()) {
            try (var oldest = resources.removeFirst()) {
                close();
            }
        }
    }
}
