// SPDX-License-Identifier: Apache-2.0
package io.millrace.resp;

/**
 * Thrown if the received bytes are not RESP, or if a reply exceeds the {@linkplain RespLimits limits}. After this
 * exception, no further bytes of the connection can be decoded.
 */
public final class MalformedReplyException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    MalformedReplyException(String message) {
        super(message);
    }
}
