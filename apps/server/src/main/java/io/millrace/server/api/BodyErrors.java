// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.api;

import io.millrace.server.gate.Problem;
import io.millrace.server.gate.Refusal;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.http.converter.HttpMessageNotReadableException;
import tools.jackson.core.JacksonException;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.exc.UnrecognizedPropertyException;

/** Describes the error in a body, without the names of classes that the exceptions contain. */
final class BodyErrors {

    private BodyErrors() {}

    static Refusal refusal(HttpMessageNotReadableException unreadable) {
        for (Throwable cause = unreadable; cause != null; cause = cause.getCause()) {
            if (cause instanceof Refusal refusal) {
                return refusal;
            }
        }
        return new Refusal(Problem.BAD_REQUEST, text(unreadable.getCause()));
    }

    private static String text(@Nullable Throwable cause) {
        return switch (cause) {
            case null -> "The body is missing.";
            case UnrecognizedPropertyException unknown ->
                "The body has the unknown member " + unknown.getPropertyName() + ". The members are "
                        + unknown.getKnownPropertyIds().stream()
                                .map(String::valueOf)
                                .sorted()
                                .collect(Collectors.joining(", "))
                        + ".";
            case StreamReadException malformed -> "The body is not valid JSON" + place(malformed);
            case MismatchedInputException mismatch -> "The member " + path(mismatch) + " has the wrong form.";
            case JacksonException other -> "The member " + path(other) + " cannot be used.";
            default -> "The body cannot be read.";
        };
    }

    private static String place(JacksonException malformed) {
        return malformed.getLocation() == null
                ? "."
                : " (line " + malformed.getLocation().getLineNr() + ", column "
                        + malformed.getLocation().getColumnNr() + ").";
    }

    private static String path(JacksonException exception) {
        return exception.getPath().stream()
                .map(step -> step.getPropertyName() == null ? "[" + step.getIndex() + "]" : step.getPropertyName())
                .collect(Collectors.joining("."));
    }
}
