// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

/** A connection could not be made ready: nothing was sent over it but the handshake. */
public final class ConnectException extends RedisException {

    /** What stood in the way. */
    public enum Reason {
        /** Nobody listens there, or the host is not known. */
        UNREACHABLE,
        /** TLS could not be agreed on, or the certificate is not to be trusted. */
        TLS,
        /** A password is needed, or this user and password are not accepted. */
        AUTHENTICATION,
        /** The server does not speak Redis's protocol, or refuses what the connection needs. */
        HANDSHAKE
    }

    private static final long serialVersionUID = 1L;

    private final Reason reason;

    public ConnectException(Reason reason, String message) {
        super(message, false);
        this.reason = reason;
    }

    public ConnectException(Reason reason, String message, Throwable cause) {
        this(reason, message);
        initCause(cause);
    }

    public Reason reason() {
        return reason;
    }
}
