// SPDX-License-Identifier: Apache-2.0
package io.millrace.packed;

/**
 * Thrown by the first write of a {@link BucketMap} if the buckets of its layout may have more pairs than the server keeps
 * in compact form. Nothing was written. The next write compares the limit again.
 */
public final class BucketLimitException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    BucketLimitException(String message) {
        super(message);
    }
}
