// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.gate;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * Compares tokens in constant time, and limits the number of wrong ones. Thread-safe.
 *
 * <p>After {@link #WRONG_PER_MINUTE} wrong tokens within a minute, an address is refused until the minute has ended, also
 * with the right token. Otherwise the answer would show whether the guess was right.
 */
final class TokenCheck {

    static final int WRONG_PER_MINUTE = 10;

    /** Maximum number of addresses that are remembered; the oldest is forgotten. An entry takes about 200 bytes. */
    private static final int ADDRESSES = 10_000;

    private static final long MINUTE_NANOS = Duration.ofMinutes(1).toNanos();

    private final byte[] expected;
    private final LongSupplier nanoTime;
    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by {@link #lock}. */
    private final Map<String, Wrong> wrong = new LinkedHashMap<>();

    /** Wrong tokens of one address in the minute that began at {@code since}. */
    private record Wrong(long since, int count) {}

    TokenCheck(String token, LongSupplier nanoTime) {
        this.expected = digest(token);
        this.nanoTime = nanoTime;
    }

    /**
     * Returns whether the token is right.
     *
     * @throws Refusal if the address has sent too many wrong tokens
     */
    boolean accepts(String token, String address) {
        boolean right = MessageDigest.isEqual(expected, digest(token));
        lock.lock();
        try {
            long now = nanoTime.getAsLong();
            Wrong before = wrong.get(address);
            if (before != null && now - before.since >= MINUTE_NANOS) {
                wrong.remove(address);
                before = null;
            }
            if (before != null && before.count >= WRONG_PER_MINUTE) {
                int seconds = (int) Math.ceilDiv(before.since + MINUTE_NANOS - now, 1_000_000_000L);
                throw new Refusal(
                        Problem.TOO_MANY,
                        WRONG_PER_MINUTE + " wrong tokens within a minute. Wait " + seconds + " s.",
                        Math.max(1, seconds));
            }
            if (!right) {
                wrong.put(address, before == null ? new Wrong(now, 1) : new Wrong(before.since, before.count + 1));
                forgetOldest();
            }
            return right;
        } finally {
            lock.unlock();
        }
    }

    private void forgetOldest() {
        if (wrong.size() > ADDRESSES) {
            var unused = wrong.remove(wrong.keySet().iterator().next());
        }
    }

    /** The digests of all tokens have the same length. */
    private static byte[] digest(String token) {
        return Digests.sha256(token.getBytes(StandardCharsets.UTF_8));
    }
}
