// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.io.PrintWriter;
import java.io.StringWriter;

/** Formats stack traces as text, so that secrets can be removed from them. */
final class StackTraces {

    private StackTraces() {}

    static String of(Throwable thrown) {
        StringWriter text = new StringWriter();
        thrown.printStackTrace(new PrintWriter(text, true));
        return text.toString();
    }
}
