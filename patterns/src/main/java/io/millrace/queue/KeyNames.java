// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

/** Names of keys that belong to another. */
final class KeyNames {

    private KeyNames() {}

    /**
     * The name of a key that belongs to {@code key}, in the same hash slot of a cluster: by {@code key}'s own hash tag if it has one,
     * otherwise with {@code key} as the tag.
     */
    static String beside(String key, String what) {
        int open = key.indexOf('{');
        boolean tagged = open >= 0 && key.indexOf('}', open) > open + 1;
        return tagged ? key + ":" + what : "{" + key + "}:" + what;
    }
}
