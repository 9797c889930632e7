// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

/**
 * What is kept by itself: who was active in one span.
 *
 * @param span of the grain that is kept
 */
record Source(String event, Span span) {

    String key(String prefix) {
        return prefix + event + ":" + span.label();
    }
}
