// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;
import java.util.stream.Collectors;

/**
 * A command as a {@link FakeRedis} read it.
 *
 * @param connection which connection it came on, counted from 0 in the order they were accepted
 * @param arguments its raw arguments, the name first; never empty
 */
public record ReceivedCommand(int connection, List<byte[]> arguments) {

    public ReceivedCommand {
        arguments = List.copyOf(arguments);
    }

    /** Its name as it was written. */
    public String name() {
        return text(0);
    }

    /** Argument {@code index} as UTF-8; 0 is the name. */
    public String text(int index) {
        return new String(arguments.get(index), UTF_8);
    }

    /** Name and arguments as UTF-8 with a space between them. */
    public String line() {
        return arguments.stream().map(argument -> new String(argument, UTF_8)).collect(Collectors.joining(" "));
    }

    @Override
    public String toString() {
        return "#" + connection + " " + line();
    }
}
