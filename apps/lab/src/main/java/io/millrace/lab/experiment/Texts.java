// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.library.Pair;
import java.util.Iterator;
import java.util.List;
import java.util.stream.LongStream;

/** The texts that a cache is filled with: of a hundred characters each, and every one tells its key. */
final class Texts {

    static final String REST =
            " is the key of a text, which some slow service has made, and that is as long as texts in caches are";

    /** The {@code n}-th key. */
    static String key(long n) {
        return "key-" + n;
    }

    /** The text of {@code key}. */
    static String of(String key) {
        return key + REST;
    }

    /** The first {@code count} keys. */
    static List<String> keys(long count) {
        return LongStream.range(0, count).mapToObj(Texts::key).toList();
    }

    /** The first {@code count} keys and their texts, made one at a time. */
    static Iterator<Pair> entries(long count) {
        return LongStream.range(0, count)
                .mapToObj(n -> new Pair(key(n), of(key(n))))
                .iterator();
    }

    private Texts() {}
}
