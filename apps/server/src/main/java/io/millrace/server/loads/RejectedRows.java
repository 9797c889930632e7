// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.loads;

import io.millrace.load.LoadEvent;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import tools.jackson.databind.json.JsonMapper;

/** The first rejected rows of a load as lines of JSON, at most {@link #MAX_ROWS} and {@link #MAX_BYTES}. Thread-safe. */
final class RejectedRows {

    static final int MAX_ROWS = 1_000;
    static final int MAX_BYTES = 32 * 1024;

    private static final int MAX_KEY = 512;

    private final TextMask mask;
    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by {@link #lock}. */
    private final List<String> lines = new ArrayList<>();

    /** Guarded by {@link #lock}. */
    private int bytes;

    /** A row that was not written. The values of the row are not shown. */
    private record Line(long row, long line, String key, String reason, String message) {}

    RejectedRows(TextMask mask) {
        this.mask = mask;
    }

    /** Called on the thread of the load, so the row is still valid. */
    void add(LoadEvent.Rejected rejected) {
        lock.lock();
        try {
            if (lines.size() == MAX_ROWS || bytes >= MAX_BYTES) {
                return;
            }
            String key = rejected.key();
            String text = JsonMapper.shared()
                    .writeValueAsString(new Line(
                            rejected.row().number(),
                            rejected.row().line(),
                            key.length() <= MAX_KEY ? key : key.substring(0, MAX_KEY),
                            rejected.rejection().reason().code(),
                            mask.text(rejected.rejection().message())));
            int length = text.getBytes(StandardCharsets.UTF_8).length;
            if (bytes + length <= MAX_BYTES) {
                lines.add(text);
            }
            bytes += length;
        } finally {
            lock.unlock();
        }
    }

    List<String> lines() {
        lock.lock();
        try {
            return List.copyOf(lines);
        } finally {
            lock.unlock();
        }
    }
}
