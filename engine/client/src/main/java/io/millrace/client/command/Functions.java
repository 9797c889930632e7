// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import io.millrace.resp.Reply;
import java.util.List;

/**
 * Commands on functions, which the server stores in libraries. Redis 7.0 or later. Each key and argument is a
 * {@link String}, a {@code byte[]} or a {@link Number}. Functions may return any kind of reply.
 */
public final class Functions {

    /** {@code FCALL function numkeys key … argument …}: returns the function's reply. */
    public static final CommandSpec<Reply> FCALL = CommandSpec.of("FCALL", Decoders.RAW);

    /** {@code FCALL_RO function numkeys key … argument …}: as {@code FCALL}, for a function that does not write. */
    public static final CommandSpec<Reply> FCALL_RO =
            CommandSpec.of("FCALL_RO", Decoders.RAW).idempotently();

    /** {@code FUNCTION LOAD [options] code}: returns the name of the library. */
    public static final CommandSpec<String> FUNCTION_LOAD = CommandSpec.of("FUNCTION LOAD", Decoders.TEXT);

    /** {@code FUNCTION DELETE library}: returns {@code OK}. */
    public static final CommandSpec<String> FUNCTION_DELETE = CommandSpec.of("FUNCTION DELETE", Decoders.TEXT);

    private Functions() {}

    /** Calls the function {@code name}. */
    public static Command<Reply> call(String name, List<?> keys, List<?> arguments) {
        return Scripts.command(FCALL, name, keys, arguments);
    }

    /** Calls the function {@code name}, which must have the flag {@code no-writes}. The command is repeatable. */
    public static Command<Reply> callReadOnly(String name, List<?> keys, List<?> arguments) {
        return Scripts.command(FCALL_RO, name, keys, arguments);
    }

    /** Loads a library. The server returns an error if a library with this name exists. */
    public static Command<String> load(String code) {
        return Command.of(FUNCTION_LOAD, code);
    }

    /** Loads a library. Overwrites a library with this name. */
    public static Command<String> replace(String code) {
        return Command.of(FUNCTION_LOAD, "REPLACE", code);
    }

    /** Deletes the library {@code name} with its functions. The server returns an error if there is no such library. */
    public static Command<String> delete(String name) {
        return Command.of(FUNCTION_DELETE, name);
    }
}
