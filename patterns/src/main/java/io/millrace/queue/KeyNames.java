// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

/** Names of keys that belong to another. */
final class KeyNames {

    private KeyNames() {}

    /**
     * The name of a key that belongs to {@code key}, in the same hash slot of a cluster: by {@code key}'s own hash tag if it has one,
     * otherwise with {@code key} as the tag.
     *
     * @throws IllegalArgumentException if {@code key} has no tag and cannot be one: it is empty, or has a closing brace, at which
     *     the server would take the tag to end
     */
    static String beside(String key, String what) {
        int open = key.indexOf('{');
        boolean tagged = open >= 0 && key.indexOf('}', open) > open + 1;
        if (!tagged && (key.isEmpty() || key.indexOf('}') >= 0)) {
            throw new IllegalArgumentException("no key can be named after this one in its hash slot: key=" + key
                    + ". Give it a hash tag, as in {feeds}, or no braces.");
        }
        return tagged ? key + ":" + what : "{" + key + "}:" + what;
    }
}
