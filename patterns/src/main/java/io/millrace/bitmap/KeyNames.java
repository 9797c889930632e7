// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

/** Names of keys that belong together. */
final class KeyNames {

    /** The part of a key that says that it is one of an activity. */
    static final String ACTIVITY = "activity";

    private KeyNames() {}

    /**
     * What the names of all keys of {@code name} begin with, so that they are in one hash slot of a cluster: by the name's own hash
     * tag if it has one, otherwise with the name as the tag.
     *
     * @throws IllegalArgumentException if it has no tag and cannot be one, or if its keys could be taken for those of an activity whose
     *     name it begins with
     */
    static String prefix(String name) {
        int open = name.indexOf('{');
        boolean tagged = open >= 0 && name.indexOf('}', open) > open + 1;
        if (!tagged && name.startsWith("}")) {
            throw new IllegalArgumentException("a name without a hash tag begins with a closing brace: name=" + name
                    + ". Give it a hash tag, as in {site}, or no braces.");
        }
        if ((name + ":").contains(":" + ACTIVITY + ":")) {
            throw new IllegalArgumentException(
                    "a name has a part that is not free: name=" + name + ", part=" + ACTIVITY + ". Name it otherwise.");
        }
        return (tagged ? name : "{" + name + "}") + ":";
    }
}
