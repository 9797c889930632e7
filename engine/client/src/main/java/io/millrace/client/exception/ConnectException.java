// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.exception;

/** A connection could not be established. The client sent no command except the commands of the handshake. */
public final class ConnectException extends RedisException {

    /** Why the connection failed. */
    public enum Reason {
        /** No server listens at the endpoint, or the host name is unknown. */
        UNREACHABLE,
        /** The TLS handshake failed, or the certificate is not trusted. */
        TLS,
        /** A password is required, or the user and password were rejected. */
        AUTHENTICATION,
        /** The server does not speak RESP, or rejects a command of the handshake. */
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
