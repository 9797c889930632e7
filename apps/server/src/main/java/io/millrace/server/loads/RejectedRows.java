// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.loads;

import io.millrace.load.LoadEvent;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** The first rejected rows of a load as lines of JSON, at most {@link #MAX_ROWS} and {@link #MAX_BYTES}. Thread-safe. */
final class RejectedRows {

    static final int MAX_ROWS = 1_000;
    static final int MAX_BYTES = 32 * 1024;

    private static final int MAX_KEY = 512;

    /** Characters of a message that are masked, and then shown. A message may quote a value of any size. */
    private static final int MASKED_MESSAGE = 2_000;

    private static final int MAX_MESSAGE = 1_000;

    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by {@link #lock}. */
    private final List<String> lines = new ArrayList<>();

    /** Guarded by {@link #lock}. */
    private int bytes;

    /** Whether a row had no room, so that no later row is kept. Guarded by {@link #lock}. */
    private boolean full;

    /**
     * A row that was not written.
     *
     * @param message null if values are hidden: a message may quote a value of the row
     */
    private record Line(
            long row,
            long line,
            String key,
            String reason,
            @Nullable String message) {}

    /** Called on the thread of the load, so the row is still valid. */
    void add(LoadEvent.Rejected rejected, TextMask mask) {
        lock.lock();
        try {
            if (full) {
                return;
            }
            String text = JsonMapper.shared().writeValueAsString(line(rejected, mask));
            int length = text.getBytes(StandardCharsets.UTF_8).length;
            full = bytes + length > MAX_BYTES;
            if (!full) {
                lines.add(text);
                bytes += length;
                full = lines.size() == MAX_ROWS;
            }
        } finally {
            lock.unlock();
        }
    }

    private static Line line(LoadEvent.Rejected rejected, TextMask mask) {
        String message = rejected.rejection().message();
        return new Line(
                rejected.row().number(),
                rejected.row().line(),
                first(MAX_KEY, rejected.key()),
                rejected.rejection().reason().code(),
                mask.hidesValues() ? null : first(MAX_MESSAGE, mask.text(first(MASKED_MESSAGE, message))));
    }

    private static String first(int characters, String text) {
        return text.length() <= characters ? text : text.substring(0, characters) + "…";
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
