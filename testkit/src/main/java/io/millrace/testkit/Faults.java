// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import java.time.Duration;

/**
 * Faults of a {@link FaultProxy} in one direction. Bytes may be late, but all of them arrive, in order.
 *
 * @param delay time from the reading of a byte to its writing, 0 or more. The delay does not limit bandwidth up to 16
 *     MiB per delay: at most that many bytes of a connection are delayed at once, and further bytes are not read yet
 * @param bytesPerSecond maximum number of bytes of a connection written per second, 1 or more; {@link Long#MAX_VALUE}
 *     is no limit
 * @param writeBytes maximum number of bytes in one write, 1 or more. TCP keeps no message borders: a slow reader may
 *     still receive the bytes of several writes in one read
 * @param stalled whether nothing is written for now, not even the end of the stream. Up to 64 KiB of a connection are
 *     still read, or 16 MiB if there is a delay too; then the sender's buffers fill up
 */
public record Faults(Duration delay, long bytesPerSecond, int writeBytes, boolean stalled) {

    /** No faults: bytes are forwarded at once. */
    public static final Faults NONE = new Faults(Duration.ZERO, Long.MAX_VALUE, Integer.MAX_VALUE, false);

    public Faults {
        if (delay.isNegative() || delay.compareTo(Duration.ofDays(1)) > 0) {
            throw new IllegalArgumentException("delay must be from 0 to one day: delay=" + delay);
        }
        if (bytesPerSecond < 1) {
            throw new IllegalArgumentException("bytesPerSecond must be at least 1: bytesPerSecond=" + bytesPerSecond);
        }
        if (writeBytes < 1) {
            throw new IllegalArgumentException("writeBytes must be at least 1: writeBytes=" + writeBytes);
        }
    }

    /** These faults with another delay. */
    public Faults withDelay(Duration newDelay) {
        return new Faults(newDelay, bytesPerSecond, writeBytes, stalled);
    }

    /** These faults with another limit of bytes per second. */
    public Faults withBytesPerSecond(long newBytesPerSecond) {
        return new Faults(delay, newBytesPerSecond, writeBytes, stalled);
    }

    /** These faults with another limit of bytes per write; with 1 each byte is a write. */
    public Faults withWriteBytes(int newWriteBytes) {
        return new Faults(delay, bytesPerSecond, newWriteBytes, stalled);
    }

    /** These faults, but with {@code stalled} set to {@code nowStalled}. */
    public Faults withStalled(boolean nowStalled) {
        return new Faults(delay, bytesPerSecond, writeBytes, nowStalled);
    }
}
