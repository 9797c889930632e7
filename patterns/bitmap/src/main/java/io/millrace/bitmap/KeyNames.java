// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

/** Names of the keys of populations and activities. */
final class KeyNames {

    /** The part of a key name that identifies the keys of activities. */
    static final String ACTIVITY = "activity";

    private KeyNames() {}

    /** Checks the length of a name that becomes part of a key: 1 to 512 characters. */
    static String checkLength(String parameter, String name) {
        if (name.isEmpty() || name.length() > 512) {
            throw new IllegalArgumentException(
                    parameter + " is not a valid name: length=" + name.length() + ". A name has 1 to 512 characters.");
        }
        return name;
    }

    /**
     * Returns the prefix of all keys of {@code name}. The prefix contains a hash tag, so all keys are in one hash slot.
     * If {@code name} contains a hash tag, the prefix has this hash tag. Otherwise the whole name is the hash tag.
     *
     * @throws IllegalArgumentException if the name has no hash tag and cannot become a hash tag, or if its keys could
     *     be mistaken for keys of another activity
     */
    static String prefix(String name) {
        int open = name.indexOf('{');
        boolean tagged = open >= 0 && name.indexOf('}', open) > open + 1;
        if (!tagged && name.startsWith("}")) {
            throw new IllegalArgumentException("a name without a hash tag begins with a closing brace: name=" + name
                    + ". Add a hash tag, as in {site}, or remove the braces.");
        }
        if ((name + ":").contains(":" + ACTIVITY + ":")) {
            throw new IllegalArgumentException(
                    "a name contains a reserved part: name=" + name + ", part=" + ACTIVITY + ". Use another name.");
        }
        return (tagged ? name : "{" + name + "}") + ":";
    }
}
