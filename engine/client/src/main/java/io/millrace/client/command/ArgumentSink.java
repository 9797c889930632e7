// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import java.nio.charset.StandardCharsets;

/** Receives the arguments of one command in order. Each method copies its input before it returns. */
public interface ArgumentSink {

    /** Appends {@code length} bytes from {@code offset} as one argument. */
    ArgumentSink arg(byte[] bytes, int offset, int length);

    /** Appends the whole array {@code bytes} as one argument. */
    default ArgumentSink arg(byte[] bytes) {
        return arg(bytes, 0, bytes.length);
    }

    /** Appends {@code text} in UTF-8 as one argument. */
    default ArgumentSink arg(String text) {
        return arg(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Appends {@code number} in decimal digits as one argument. */
    default ArgumentSink arg(long number) {
        return arg(Long.toString(number));
    }
}
