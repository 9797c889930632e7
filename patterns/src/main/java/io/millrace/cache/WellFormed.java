// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

/** Whether a text is the same after it has been through UTF-8: it is unless it has half of a surrogate pair. */
final class WellFormed {

    private WellFormed() {}

    static boolean test(String text) {
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
