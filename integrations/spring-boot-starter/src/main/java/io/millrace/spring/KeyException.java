// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import org.springframework.boot.diagnostics.FailureAnalyzedException;

/** A key of the configuration has a value that cannot be used. The message is one sentence with the name of the key. */
final class KeyException extends FailureAnalyzedException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param problem the sentence with the name of the key
     * @param action what the user can do, as a sentence
     */
    KeyException(String problem, String action) {
        super(sentence(problem), action);
    }

    KeyException(String problem, String action, Throwable cause) {
        super(sentence(problem), action, cause);
    }

    private static String sentence(String text) {
        return text.endsWith(".") ? text : text + ".";
    }
}
