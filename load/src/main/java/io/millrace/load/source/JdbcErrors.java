// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import io.millrace.load.source.SourceException.Kind;
import java.io.IOException;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientConnectionException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Converts exceptions of drivers to source exceptions with a one-line message without secrets. */
final class JdbcErrors {

    private final String name;
    private final List<String> secrets;

    /**
     * Creates the errors of one source.
     *
     * @param secrets values that no message may contain
     */
    JdbcErrors(String name, List<String> secrets) {
        this.name = name;
        // Longest first. Otherwise a secret inside a longer secret would be replaced first, and the rest of the longer
        // secret would remain.
        this.secrets = secrets.stream()
                .filter(secret -> !secret.isEmpty())
                .sorted(Comparator.comparingInt(String::length).reversed())
                .toList();
    }

    SourceException connecting(Exception e) {
        boolean unreachable = sqlException(e)
                .filter(sql -> !isMissing(sql) && (isConnectionLost(sql) || isRefused(sql)))
                .isPresent();
        return failure(unreachable ? Kind.UNREACHABLE : Kind.UNUSABLE, "cannot connect to %s (%s)", e);
    }

    /** Returns {@code e}, or the first of its causes: a pool may wrap the failure of its driver in another exception. */
    private static Optional<SQLException> sqlException(Exception e) {
        return chain(e).stream()
                .filter(SQLException.class::isInstance)
                .map(SQLException.class::cast)
                .findFirst();
    }

    SourceException querying(String what, Exception e) {
        boolean unreachable = e instanceof SQLException sql && isConnectionLost(sql);
        return failure(
                unreachable ? Kind.UNREACHABLE : Kind.UNUSABLE,
                "cannot read " + safe(what).replace("%", "%%") + " of %s (%s)",
                e);
    }

    SourceException reading(long rows, Exception e) {
        return failure(
                Kind.BROKEN,
                "reading %s failed after " + rows + " rows (%s). The rows before the failure were read.",
                e);
    }

    SourceException unusable(String what) {
        return new SourceException(Kind.UNUSABLE, safe(what));
    }

    /** Whether {@code e} says that the connection is lost. */
    static boolean isConnectionLost(SQLException e) {
        String state = e.getSQLState() == null ? "" : e.getSQLState();
        return state.startsWith("08")
                || state.startsWith("57P")
                || state.equals("90067") // H2: connection broken
                || state.equals("90098") // H2: database closed
                || e instanceof SQLNonTransientConnectionException
                || e instanceof SQLTransientConnectionException
                || e instanceof SQLRecoverableException
                || chain(e).stream().anyMatch(IOException.class::isInstance);
    }

    /**
     * Whether H2 reports that the database does not exist. Without this check, the error would count as a lost
     * connection, because its code belongs to the same class of codes.
     */
    private static boolean isMissing(SQLException e) {
        return List.of("90013", "90146", "90149").contains(String.valueOf(e.getSQLState()));
    }

    private static boolean isRefused(SQLException e) {
        String state = e.getSQLState() == null ? "" : e.getSQLState();
        return state.startsWith("28") || state.startsWith("53");
    }

    /**
     * Returns the message of {@code e} in one line and without secrets. If an I/O error is among the causes of {@code
     * e}, the line also contains the message of the I/O error.
     */
    String text(Throwable e) {
        String words = message(e);
        List<Throwable> chain = chain(e);
        for (Throwable cause : chain.subList(1, chain.size())) {
            if (cause instanceof IOException && !words.contains(message(cause))) {
                words += ": " + cause.getClass().getSimpleName() + " " + message(cause);
                break;
            }
        }
        return safe(words.replaceAll("\\s*\\R\\s*", " ").strip());
    }

    private static String message(Throwable e) {
        String message = e.getMessage();
        return message == null || message.isBlank() ? e.getClass().getSimpleName() : message;
    }

    private SourceException failure(Kind kind, String format, Exception e) {
        String message = format.formatted(name, text(e));
        boolean clean = chain(e).stream()
                .map(Throwable::toString)
                .allMatch(text -> safe(text).equals(text));
        return clean ? new SourceException(kind, message, e) : new SourceException(kind, message);
    }

    private String safe(String text) {
        String safe = text;
        for (String secret : secrets) {
            safe = safe.replace(secret, "***");
        }
        return safe;
    }

    /** {@code e} with its causes, suppressed exceptions and next exceptions. */
    private static List<Throwable> chain(Throwable e) {
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        List<Throwable> chain = new ArrayList<>();
        follow(e, seen, chain);
        return chain;
    }

    private static void follow(@Nullable Throwable e, Set<Throwable> seen, List<Throwable> chain) {
        if (e == null || !seen.add(e)) {
            return;
        }
        chain.add(e);
        follow(e.getCause(), seen, chain);
        for (Throwable suppressed : e.getSuppressed()) {
            follow(suppressed, seen, chain);
        }
        if (e instanceof SQLException sql) {
            follow(sql.getNextException(), seen, chain);
        }
    }
}
