// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import java.time.Duration;

/**
 * Faults of a {@link FaultProxy} in one direction. Bytes may arrive late, but all of them arrive, and in order.
 *
 * @param delay time for which the proxy keeps each byte before it writes the byte, from 0 to one day. While the proxy
 *     keeps 16 MiB of a connection, it reads no further bytes. So the delay limits the throughput only if more than 16
 *     MiB arrive within one delay
 * @param bytesPerSecond maximum number of bytes per second that the proxy writes on one connection, 1 or more; {@link
 *     Long#MAX_VALUE} for no limit
 * @param writeBytes maximum number of bytes in one write, 1 or more. TCP does not keep the borders between writes: a
 *     slow receiver may receive the bytes of several writes in one read
 * @param stalled whether the proxy writes nothing at present, not even the end of the stream. The proxy still reads up
 *     to 64 KiB of a connection, or up to 16 MiB if there is a delay. After that, the socket buffers of the sender fill
 *     up
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

    /** These faults with another maximum number of bytes per second. */
    public Faults withBytesPerSecond(long newBytesPerSecond) {
        return new Faults(delay, newBytesPerSecond, writeBytes, stalled);
    }

    /** These faults with another maximum number of bytes per write. If it is 1, each byte is written separately. */
    public Faults withWriteBytes(int newWriteBytes) {
        return new Faults(delay, bytesPerSecond, newWriteBytes, stalled);
    }

    /** These faults, but with {@code stalled} set to {@code nowStalled}. */
    public Faults withStalled(boolean nowStalled) {
        return new Faults(delay, bytesPerSecond, writeBytes, nowStalled);
    }
}
