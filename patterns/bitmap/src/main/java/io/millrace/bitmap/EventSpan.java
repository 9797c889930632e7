// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

/**
 * A source of ids: an event in one stored span. The ids of each source are stored separately.
 *
 * @param span a span of the activity's granularity
 */
record EventSpan(String event, Span span) {

    String key(String prefix) {
        return prefix + event + ":" + span.label();
    }
}
