// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Two listeners. Each of them receives all commands, with its own contexts. */
record ListenerPair(CommandListener first, CommandListener second) implements CommandListener {

    /** The contexts of both listeners for one command. */
    private record Contexts(
            @Nullable Object first, @Nullable Object second) {}

    @Override
    public @Nullable Object submitted(String name) {
        Object one = first.submitted(name);
        Object other = second.submitted(name);
        return one == null && other == null ? null : new Contexts(one, other);
    }

    @Override
    public void ended(EndedCommand command) {
        Contexts contexts = (Contexts) command.context();
        try {
            first.ended(contexts == null ? command : new WithContext(command, contexts.first()));
        } finally {
            second.ended(contexts == null ? command : new WithContext(command, contexts.second()));
        }
    }

    /** A command with the context of one of the listeners. */
    private record WithContext(
            EndedCommand command, @Nullable Object context) implements EndedCommand {

        @Override
        public String name() {
            return command.name();
        }

        @Override
        public String endpoint() {
            return command.endpoint();
        }

        @Override
        public String connection() {
            return command.connection();
        }

        @Override
        public Kind kind() {
            return command.kind();
        }

        @Override
        public Optional<Outcome> outcome() {
            return command.outcome();
        }

        @Override
        public long submittedNanos() {
            return command.submittedNanos();
        }

        @Override
        public boolean wasSent() {
            return command.wasSent();
        }

        @Override
        public long sentNanos() {
            return command.sentNanos();
        }

        @Override
        public long endedNanos() {
            return command.endedNanos();
        }

        @Override
        public long requestBytes() {
            return command.requestBytes();
        }

        @Override
        public int lostConnections() {
            return command.lostConnections();
        }
    }
}
