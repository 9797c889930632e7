// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.bitmap.BitmapException;
import io.millrace.client.exception.ConnectException;
import io.millrace.client.exception.RedisException;
import io.millrace.load.ExitCode;
import io.millrace.load.source.SourceException;
import io.millrace.load.target.PlanException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/**
 * The message and the exit code of an error.
 *
 * @param message one or two lines of text
 */
record Failure(ExitCode code, String message) {

    /** Classifies {@code thrown}. */
    static Failure of(Throwable thrown) {
        return switch (thrown) {
            case UsageException usage -> new Failure(ExitCode.USAGE, message(usage));
            case BitmapException bitmap -> new Failure(ExitCode.STOPPED, message(bitmap));
            case ConnectException refused ->
                new Failure(ExitCode.of(refused), message(refused) + passwordHint(refused));
            case PlanException plan -> new Failure(ExitCode.of(plan), message(plan));
            case SourceException source -> new Failure(ExitCode.of(source), message(source));
            case RedisException redis -> new Failure(ExitCode.of(redis), message(redis));
            default ->
                new Failure(
                        ExitCode.INTERNAL,
                        "internal failure: " + thrown.getClass().getSimpleName() + ": " + thrown.getMessage()
                                + ". Run again with --debug and report the stack trace.");
        };
    }

    /** The reason of an I/O failure. The message of the exception is often only the path. */
    static String reason(IOException failure) {
        return switch (failure) {
            case NoSuchFileException missing -> "there is no such file";
            case AccessDeniedException denied -> "permission denied";
            case FileSystemException other when other.getReason() != null -> other.getReason();
            default -> failure.getMessage() == null ? failure.getClass().getSimpleName() : failure.getMessage();
        };
    }

    /** The options that give a user and a password, if the server asks for a password or refuses the given one. */
    private static String passwordHint(ConnectException refused) {
        if (refused.reason() != ConnectException.Reason.AUTHENTICATION) {
            return "";
        }
        String message = message(refused);
        String given = message.contains("WRONGPASS")
                ? " Correct the user (--user) or the password. The environment variable REDISCLI_AUTH gives the password,"
                : " The environment variable REDISCLI_AUTH gives it,";
        return message.contains("NOAUTH") || message.contains("WRONGPASS")
                ? given + " or one of the options --password-file, --password-stdin, --askpass, -a and -u."
                : "";
    }

    private static String message(RuntimeException thrown) {
        return thrown.getMessage() == null ? thrown.getClass().getSimpleName() : thrown.getMessage();
    }
}
