// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;
import java.util.stream.Collectors;

/**
 * A command that a {@link FakeRedis} received.
 *
 * @param connection index of the connection, in the order of acceptance from 0
 * @param arguments the raw command name, and then the raw arguments; never empty
 */
public record ReceivedCommand(int connection, List<byte[]> arguments) {

    public ReceivedCommand {
        arguments = List.copyOf(arguments);
    }

    /** The command name, in the upper and lower case that the client sent. */
    public String name() {
        return text(0);
    }

    /** Argument {@code index}, decoded as UTF-8. Index 0 is the command name. */
    public String text(int index) {
        return new String(arguments.get(index), UTF_8);
    }

    /**
     * Whether this command tests a permission. The client sends such commands when it connects; they have a key that no
     * application uses, and change nothing.
     */
    public boolean isPermissionTest() {
        return line().contains("\u0001millrace\u0001");
    }

    /** The command name and its arguments, decoded as UTF-8, with a space between them. */
    public String line() {
        return arguments.stream().map(argument -> new String(argument, UTF_8)).collect(Collectors.joining(" "));
    }

    @Override
    public String toString() {
        return "#" + connection + " " + line();
    }
}
