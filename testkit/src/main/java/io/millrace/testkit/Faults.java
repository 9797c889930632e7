// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import java.time.Duration;

/**
 * What a {@link FaultProxy} does to the bytes it passes on in one direction. They may be late, but all of them arrive, in
 * their order.
 *
 * @param delay how long after it was read a byte leaves, 0 or more. Bandwidth is kept up to 16 MiB per delay: that many bytes of
 *     a connection may be on their way at once, and more are left in the sender's hands
 * @param bytesPerSecond how many bytes of a connection leave in a second at most, 1 or more; {@link Long#MAX_VALUE} is no limit
 * @param writeBytes how many bytes leave in one write at most, 1 or more. TCP keeps no message borders: a slow reader may still
 *     find several writes at once
 * @param stalled whether nothing leaves at all for now, not even the end of the stream. Up to 64 KiB of a connection are still read,
 *     or 16 MiB if there is a delay too; then the sender's buffers fill up
 */
public record Faults(Duration delay, long bytesPerSecond, int writeBytes, boolean stalled) {

    /** Bytes leave as soon and as fast as they can. */
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

    /** The same with another delay. */
    public Faults withDelay(Duration newDelay) {
        return new Faults(newDelay, bytesPerSecond, writeBytes, stalled);
    }

    /** The same with another limit of bytes per second. */
    public Faults withBytesPerSecond(long newBytesPerSecond) {
        return new Faults(delay, newBytesPerSecond, writeBytes, stalled);
    }

    /** The same with another limit of bytes in one write; 1 makes a write of every byte. */
    public Faults withWriteBytes(int newWriteBytes) {
        return new Faults(delay, bytesPerSecond, newWriteBytes, stalled);
    }

    /** The same, stalled or not. */
    public Faults withStalled(boolean nowStalled) {
        return new Faults(delay, bytesPerSecond, writeBytes, nowStalled);
    }
}
