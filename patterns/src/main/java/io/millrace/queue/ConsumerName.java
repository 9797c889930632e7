// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import java.security.SecureRandom;
import java.util.HexFormat;

/** What consumers are called. */
final class ConsumerName {

    private static final SecureRandom RANDOM = new SecureRandom();

    private ConsumerName() {}

    /** The name that was chosen, or one that nobody has. */
    static String of(ConsumerOptions options) {
        return options.consumer().isEmpty()
                ? "millrace-" + ProcessHandle.current().pid() + "-" + chance()
                : options.consumer();
    }

    /** Twelve digits that come up twice in no lifetime. */
    static String chance() {
        byte[] bytes = new byte[6];
        RANDOM.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }
}
