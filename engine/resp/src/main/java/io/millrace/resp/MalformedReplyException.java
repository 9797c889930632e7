// SPDX-License-Identifier: Apache-2.0
package io.millrace.resp;

/** Bytes that are not RESP, or a reply beyond the limits. What follows on that connection cannot be understood any more. */
public final class MalformedReplyException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    MalformedReplyException(String message) {
        super(message);
    }
}
