// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.gate;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * The sessions of browsers. A session has a random name of 256 bits. The server keeps only the digest of the name, so a
 * lookup tells nothing about the names of other sessions. Thread-safe.
 */
public final class Sessions {

    /** A working day with some reserve. */
    static final Duration LIFE = Duration.ofHours(12);

    /** Maximum number of sessions; the oldest one ends. */
    private static final int LIMIT = 1_000;

    private static final int NAME_BYTES = 32;

    private final SecureRandom random = new SecureRandom();
    private final LongSupplier nanoTime;
    private final ReentrantLock lock = new ReentrantLock();

    /** End of each session in nanoseconds, by the digest of its name, oldest first. Guarded by {@link #lock}. */
    private final Map<String, Long> ends = new LinkedHashMap<>();

    public Sessions(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Begins a session and returns its name. */
    String begin() {
        byte[] bytes = new byte[NAME_BYTES];
        random.nextBytes(bytes);
        String name = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
        lock.lock();
        try {
            if (ends.size() >= LIMIT) {
                var unused = ends.remove(ends.keySet().iterator().next());
            }
            ends.put(digest(name), nanoTime.getAsLong() + LIFE.toNanos());
        } finally {
            lock.unlock();
        }
        return name;
    }

    boolean isValid(String name) {
        lock.lock();
        try {
            Long end = ends.get(digest(name));
            return end != null && nanoTime.getAsLong() - end < 0;
        } finally {
            lock.unlock();
        }
    }

    void end(String name) {
        lock.lock();
        try {
            ends.remove(digest(name));
        } finally {
            lock.unlock();
        }
    }

    private static String digest(String name) {
        return HexFormat.of().formatHex(Digests.sha256(name.getBytes(StandardCharsets.UTF_8)));
    }
}
