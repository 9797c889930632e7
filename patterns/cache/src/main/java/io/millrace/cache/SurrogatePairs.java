// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

/** Checks that a text has no unpaired surrogate. Only such a text survives a conversion to UTF-8 and back. */
final class SurrogatePairs {

    private SurrogatePairs() {}

    static boolean areComplete(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isSurrogate(text.charAt(i))) {
                if (Character.charCount(text.codePointAt(i)) == 1) {
                    return false;
                }
                i++;
            }
        }
        return true;
    }
}
