// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.client.command.Command;
import io.millrace.client.internal.slot.HashSlot;
import java.util.Objects;

/**
 * The hash slot of a key in a Redis Cluster: CRC-16/XMODEM of the key, modulo 16,384. Each node of a cluster serves a
 * part of the hash slots, and a command can use only keys of one hash slot.
 *
 * <p>If a key has a hash tag, only the hash tag is hashed. So {@code {user:1}:name} and {@code {user:1}:mail} have the
 * same hash slot. The hash tag is the text between the first <code>{</code> and the next <code>}</code>. An empty text
 * is not a hash tag.
 *
 * <p>{@link Command#hashSlot} returns the hash slot of all keys of a command. All methods are thread-safe.
 */
public final class KeySlot {

    /** Number of hash slots of a cluster. Hash slots are 0 to 16,383. */
    public static final int COUNT = HashSlot.COUNT;

    private KeySlot() {}

    /** Returns the hash slot of the binary key {@code key}, 0 to 16,383. Allocates no memory. */
    public static int of(byte[] key) {
        return HashSlot.of(key);
    }

    /**
     * Returns the hash slot of the key in UTF-8, 0 to 16,383. Allocates memory only if the hashed part of the key has a
     * character outside ASCII.
     */
    public static int of(String key) {
        return HashSlot.of(key);
    }

    /**
     * Returns the hash slot of the key in {@code length} bytes of {@code bytes} from {@code offset} on, 0 to 16,383.
     * Allocates no memory.
     *
     * @throws IndexOutOfBoundsException if these bytes are not in the array
     */
    public static int of(byte[] bytes, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        return HashSlot.of(bytes, offset, length);
    }
}
