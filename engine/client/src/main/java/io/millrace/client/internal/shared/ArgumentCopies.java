// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import io.millrace.client.command.ArgumentSink;
import io.millrace.client.command.Command;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Copies the arguments of a command. */
final class ArgumentCopies implements ArgumentSink {

    private final List<byte[]> arguments = new ArrayList<>();

    private ArgumentCopies() {}

    /** Returns a command with the same bytes that does not use the arrays of {@code command}. It has no time limit. */
    static <T> Command<T> of(Command<T> command) {
        ArgumentCopies copies = new ArgumentCopies();
        command.writeTo(copies);
        return Command.of(command.spec(), copies.arguments.toArray());
    }

    @Override
    public ArgumentSink arg(byte[] bytes, int offset, int length) {
        arguments.add(Arrays.copyOfRange(bytes, offset, offset + length));
        return this;
    }
}
