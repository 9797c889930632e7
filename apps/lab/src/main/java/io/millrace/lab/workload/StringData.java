// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.workload;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import redis.clients.jedis.Jedis;

/** Small strings: {@code SET key:000000042 value:0000000042}. */
public final class StringData implements Dataset {

    @Override
    public String command() {
        return "set";
    }

    @Override
    public String fusedCommand() {
        return "mset";
    }

    @Override
    public List<String> words(long n) {
        return List.of("SET", key(n), value(n));
    }

    private static String key(long n) {
        return "key:" + digits(n, 9);
    }

    private static String value(long n) {
        return "value:" + digits(n, 10);
    }

    private static String digits(long n, int width) {
        var digits = Long.toString(n);
        return "0".repeat(width - digits.length()) + digits;
    }

    @Override
    public List<String> differences(Jedis redis, long[] numbers) {
        var differences = new ArrayList<String>();
        try (var pipeline = redis.pipelined()) {
            var replies = new ArrayList<redis.clients.jedis.Response<String>>();
            for (long n : numbers) {
                replies.add(pipeline.get(key(n)));
            }
            pipeline.sync();
            for (int i = 0; i < numbers.length; i++) {
                var found = replies.get(i).get();
                if (!Objects.equals(found, value(numbers[i]))) {
                    differences.add(key(numbers[i]) + ": expected=" + value(numbers[i]) + ", found=" + found);
                }
            }
        }
        return differences.stream().limit(3).toList();
    }

    /**
     * Walks through the pairs in their order, as bytes that are changed in place: making them must cost next to
     * nothing, for it is part of what is timed.
     */
    public static final class Cursor {

        private final byte[] key;
        private final byte[] value = StringData.value(0).getBytes(StandardCharsets.US_ASCII);

        /** At the first pair, whose key begins with {@code prefix}. */
        public Cursor(String prefix) {
            key = (prefix + StringData.key(0)).getBytes(StandardCharsets.UTF_8);
        }

        /** The current key; the same array all the time. */
        public byte[] key() {
            return key;
        }

        /** The current value; the same array all the time. */
        public byte[] value() {
            return value;
        }

        /** Goes on to the next pair. */
        public void next() {
            increment(key);
            increment(value);
        }
    }

    /** Counts on the number that {@code digits} end with, in place. */
    static void increment(byte[] digits) {
        int i = digits.length - 1;
        while (digits[i] == '9') {
            digits[i--] = '0';
        }
        digits[i]++;
    }
}
