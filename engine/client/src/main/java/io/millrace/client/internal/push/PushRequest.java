// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.push;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** A command that a {@link PushReader} sends: one word, and its arguments. */
record PushRequest(String name, List<byte[]> arguments) {

    static PushRequest of(String name, String... arguments) {
        return new PushRequest(
                name,
                Arrays.stream(arguments)
                        .map(argument -> argument.getBytes(StandardCharsets.UTF_8))
                        .toList());
    }
}
