// SPDX-License-Identifier: Apache-2.0
package io.millrace.resp;

/** The bytes are not RESP, or a reply exceeds the limits. The rest of the connection's input cannot be decoded. */
public final class MalformedReplyException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    MalformedReplyException(String message) {
        super(message);
    }
}
