// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.client.command.ArgumentSink;
import io.millrace.client.command.CommandSpec;
import io.millrace.client.command.Fusion;
import java.util.Set;

/** The command that writes a row: a plain command, or a script that also sets the expiry of the key. */
sealed interface RowCommand {

    /** The command of the first row of a connection. */
    CommandSpec<?> first();

    /** The command of later rows. It may rely on a script that the first command has left on the server. */
    CommandSpec<?> repeated();

    /** How the commands of adjacent rows may be fused. */
    Set<Fusion> fusion();

    /**
     * Writes the first arguments of the command. The arguments of the row follow.
     *
     * @param repeated whether the command is {@link #repeated}
     * @param expiryMillis expiry of the key; 0 for none. A plain command sets no expiry
     * @param arguments number of arguments of the row
     */
    void begin(ArgumentSink sink, boolean repeated, byte[] key, int keyLength, long expiryMillis, int arguments);

    /** A command with the key as its first argument. */
    record Plain(CommandSpec<?> spec, Set<Fusion> fusion) implements RowCommand {

        @Override
        public CommandSpec<?> first() {
            return spec;
        }

        @Override
        public CommandSpec<?> repeated() {
            return spec;
        }

        @Override
        public void begin(
                ArgumentSink sink, boolean repeated, byte[] key, int keyLength, long expiryMillis, int arguments) {
            sink.arg(key, 0, keyLength);
        }
    }

    /** A script: the first row sends the script, and later rows send its digest. */
    record Scripted(RowScript script) implements RowCommand {

        private static final Set<Fusion> SCRIPTS = Set.of(Fusion.SCRIPT);

        @Override
        public CommandSpec<?> first() {
            return Commands.EVAL;
        }

        @Override
        public CommandSpec<?> repeated() {
            return Commands.EVALSHA;
        }

        @Override
        public Set<Fusion> fusion() {
            return SCRIPTS;
        }

        @Override
        public void begin(
                ArgumentSink sink, boolean repeated, byte[] key, int keyLength, long expiryMillis, int arguments) {
            script.begin(sink, repeated, key, keyLength, expiryMillis, arguments);
        }
    }
}
