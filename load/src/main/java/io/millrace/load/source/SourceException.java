// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import org.jspecify.annotations.Nullable;

/** Thrown if a source cannot be opened, or if reading cannot continue. */
public final class SourceException extends RuntimeException {

    /** The kind of failure. It decides which advice the user receives. */
    public enum Kind {
        /** The source does not exist, or does not have the expected form. */
        UNUSABLE,
        /** The database cannot be reached, or refuses the login. */
        UNREACHABLE,
        /** Reading failed after it had started. */
        BROKEN
    }

    private static final long serialVersionUID = 1L;

    private final Kind kind;

    public SourceException(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    public SourceException(Kind kind, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }
}
