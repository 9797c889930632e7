// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import org.jspecify.annotations.Nullable;

/** A source that cannot be opened, or that cannot be read any further. */
public final class SourceException extends RuntimeException {

    /** Why a source ended, since it decides what its user is told to do. */
    public enum Kind {
        /** The source is not there, or is not what it was said to be. */
        UNUSABLE,
        /** The database of the source cannot be reached, or refuses to let us in. */
        UNREACHABLE,
        /** Reading failed after it had begun. */
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
