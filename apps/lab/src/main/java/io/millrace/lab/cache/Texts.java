// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.cache;

import java.util.List;
import java.util.stream.IntStream;

/**
 * The texts in the cache. Each text begins with its key, so an answer shows whether the answer belongs to the key.
 *
 * @param bytes length of a text; a text is never shorter than its key
 */
record Texts(int bytes) {

    static final int USUAL_BYTES = 100;

    private static final String FILLING = " is the key of a text that a slow service has computed. ";

    static String key(int number) {
        return "key-" + number;
    }

    static List<String> keys(int count) {
        return IntStream.range(0, count).mapToObj(Texts::key).toList();
    }

    String of(String key) {
        var text = new StringBuilder(key);
        while (text.length() < bytes) {
            text.append(FILLING, 0, Math.min(FILLING.length(), bytes - text.length()));
        }
        return text.toString();
    }
}
