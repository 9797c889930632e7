// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import java.security.SecureRandom;
import java.util.HexFormat;

/** Creates the names of consumers. */
final class ConsumerName {

    private static final SecureRandom RANDOM = new SecureRandom();

    private ConsumerName() {}

    /** Returns the configured name, or a new unique name. */
    static String of(ConsumerOptions options) {
        return options.consumer().isEmpty()
                ? "millrace-" + ProcessHandle.current().pid() + "-" + randomDigits()
                : options.consumer();
    }

    /** Returns twelve random hex digits. */
    static String randomDigits() {
        byte[] bytes = new byte[6];
        RANDOM.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }
}
