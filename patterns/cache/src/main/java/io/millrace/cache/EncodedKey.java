// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Encodes Redis keys. */
final class EncodedKey {

    private EncodedKey() {}

    /** Returns {@code prefix} and the key in UTF-8. For an ASCII key, the only allocation is the returned array. */
    static byte[] of(byte[] prefix, String key) {
        byte[] encoded = Arrays.copyOf(prefix, prefix.length + key.length());
        for (int i = 0; i < key.length(); i++) {
            char next = key.charAt(i);
            if (next >= 0x80) {
                return ofAnyText(prefix, key);
            }
            encoded[prefix.length + i] = (byte) next;
        }
        return encoded;
    }

    /** Returns the same as {@link #of}, for a key with characters outside of ASCII. */
    static byte[] ofAnyText(byte[] prefix, String key) {
        byte[] encodedKey = key.getBytes(StandardCharsets.UTF_8);
        byte[] encoded = Arrays.copyOf(prefix, prefix.length + encodedKey.length);
        System.arraycopy(encodedKey, 0, encoded, prefix.length, encodedKey.length);
        return encoded;
    }
}
