// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import java.nio.charset.StandardCharsets;

/** Computes the hash slot of a key: CRC16 of the hash tag modulo 16,384, as specified by Redis Cluster. */
final class HashSlots {

    private HashSlots() {}

    static int of(String key) {
        int open = key.indexOf('{');
        int close = open < 0 ? -1 : key.indexOf('}', open + 1);
        String hashed = close > open + 1 ? key.substring(open + 1, close) : key;
        int crc = 0;
        for (byte b : hashed.getBytes(StandardCharsets.UTF_8)) {
            crc ^= (b & 0xff) << 8;
            for (int bit = 0; bit < 8; bit++) {
                crc = (crc & 0x8000) == 0 ? crc << 1 : crc << 1 ^ 0x1021;
            }
        }
        return crc & 0x3fff;
    }
}
