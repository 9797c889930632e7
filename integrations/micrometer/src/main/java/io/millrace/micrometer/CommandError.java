// SPDX-License-Identifier: Apache-2.0
package io.millrace.micrometer;

import io.millrace.client.EndedCommand;
import io.millrace.client.Outcome;
import java.util.regex.Pattern;

/**
 * The error of a command, with few different values and without keys and values.
 *
 * @param type the code of the error reply, or the kind of the end in lower case
 * @param isReply whether the type is the code of an error reply
 */
record CommandError(String type, boolean isReply) {

    /** The type of an error whose code is not one of the usual codes, which are upper-case words. */
    static final String OTHER = "other";

    /** Scripts choose the codes of their errors. A code that looks different may be a part of a value. */
    private static final Pattern CODE = Pattern.compile("[A-Z][A-Z_]{1,31}");

    /** Returns the error of a command whose kind is not {@code OK}. */
    static CommandError of(EndedCommand command) {
        return switch (command.kind()) {
            case OK -> throw new IllegalArgumentException("the command has no error: name=" + command.name());
            case ERROR -> new CommandError(code(command), true);
            case TIMED_OUT -> new CommandError("timed_out", false);
            case REFUSED -> new CommandError("refused", false);
            case LOST -> new CommandError("lost", false);
            case INTERRUPTED -> new CommandError("interrupted", false);
        };
    }

    private static String code(EndedCommand command) {
        return command.outcome()
                .filter(Outcome.Failed.class::isInstance)
                .map(outcome -> ((Outcome.Failed) outcome).error().code())
                .filter(code -> CODE.matcher(code).matches())
                .orElse(OTHER);
    }
}
