// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

/** Creates the names of the additional keys of a queue. */
final class KeyNames {

    private KeyNames() {}

    /**
     * Returns the name of an additional key of {@code key}, in the same hash slot: with the hash tag of {@code key} if
     * {@code key} has a hash tag, otherwise with {@code key} as the hash tag.
     *
     * @throws IllegalArgumentException if {@code key} has no hash tag and cannot become a hash tag, because it is empty
     *     or contains a closing brace, which would end the tag
     */
    static String additional(String key, String suffix) {
        int open = key.indexOf('{');
        boolean tagged = open >= 0 && key.indexOf('}', open) > open + 1;
        if (!tagged && (key.isEmpty() || key.indexOf('}') >= 0)) {
            throw new IllegalArgumentException("a queue key allows no additional keys in its hash slot: key=" + key
                    + ". Use a key with a hash tag, as in {feeds}, or without braces.");
        }
        return tagged ? key + ":" + suffix : "{" + key + "}:" + suffix;
    }
}
