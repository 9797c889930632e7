// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

/** Creates the names of the additional keys of a queue. */
final class KeyNames {

    private KeyNames() {}

    /**
     * Returns the name of an additional key of the queue {@code key}. Both keys are in the same hash slot. If {@code
     * key} has a hash tag, the name contains this hash tag. Otherwise {@code key} becomes the hash tag of the name.
     *
     * @throws IllegalArgumentException if {@code key} has no hash tag and cannot become a hash tag. An empty key cannot
     *     become a hash tag. A key with a closing brace cannot become a hash tag either, because the brace would end
     *     the tag
     */
    static String additional(String key, String suffix) {
        int open = key.indexOf('{');
        boolean tagged = open >= 0 && key.indexOf('}', open) > open + 1;
        if (!tagged && (key.isEmpty() || key.indexOf('}') >= 0)) {
            throw new IllegalArgumentException("a queue key cannot become the hash tag of additional keys: key=" + key
                    + ". Use a key with a hash tag, as in {feeds}, or without braces.");
        }
        return tagged ? key + ":" + suffix : "{" + key + "}:" + suffix;
    }
}
