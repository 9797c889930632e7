// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import io.millrace.resp.Reply;
import java.util.Arrays;
import java.util.List;

/**
 * Commands that run scripts on the server. Each key and argument is a {@link String}, a {@code byte[]} or a
 * {@link Number}. Scripts may return any kind of reply.
 */
public final class Scripts {

    /** {@code EVAL body numkeys key … argument …}: returns the script's reply. */
    public static final CommandSpec<Reply> EVAL = CommandSpec.of("EVAL", Decoders.RAW);

    /** {@code EVALSHA sha1 numkeys key … argument …}: returns the script's reply. */
    public static final CommandSpec<Reply> EVALSHA = CommandSpec.of("EVALSHA", Decoders.RAW);

    /** {@code EVAL_RO body numkeys key … argument …}: as {@code EVAL}, for a script that does not write. */
    public static final CommandSpec<Reply> EVAL_RO =
            CommandSpec.of("EVAL_RO", Decoders.RAW).idempotently();

    /** {@code EVALSHA_RO sha1 numkeys key … argument …}: as {@code EVALSHA}, for a script that does not write. */
    public static final CommandSpec<Reply> EVALSHA_RO =
            CommandSpec.of("EVALSHA_RO", Decoders.RAW).idempotently();

    /** {@code SCRIPT EXISTS sha1 …}: returns for each script whether the server has the script. */
    public static final CommandSpec<List<Boolean>> SCRIPT_EXISTS =
            CommandSpec.of("SCRIPT EXISTS", Replies.list(Decoders.FLAG)).idempotently();

    /** {@code SCRIPT LOAD body}: returns the script's SHA-1. */
    public static final CommandSpec<String> SCRIPT_LOAD = CommandSpec.of("SCRIPT LOAD", Decoders.TEXT);

    private Scripts() {}

    /**
     * Returns a call of {@code script}, which each way of running commands accepts. See {@link ScriptCall} for the
     * commands that are sent.
     */
    public static ScriptCall<Reply> run(Script script, List<?> keys, List<?> arguments) {
        List<?> keysKept = List.copyOf(keys);
        List<?> argumentsKept = List.copyOf(arguments);
        return new ScriptCall<>(evalSha(script, keysKept, argumentsKept), () -> eval(script, keysKept, argumentsKept));
    }

    /**
     * Returns a call of a script that does not write. The server returns an error if the script writes. The commands of
     * the call are repeatable. Redis 7.0 or later.
     */
    public static ScriptCall<Reply> runReadOnly(Script script, List<?> keys, List<?> arguments) {
        List<?> keysKept = List.copyOf(keys);
        List<?> argumentsKept = List.copyOf(arguments);
        return new ScriptCall<>(
                evalShaReadOnly(script, keysKept, argumentsKept), () -> evalReadOnly(script, keysKept, argumentsKept));
    }

    /** Runs {@code script}. Sends its whole body. */
    public static Command<Reply> eval(Script script, List<?> keys, List<?> arguments) {
        return command(EVAL, script.body(), keys, arguments);
    }

    /**
     * Runs {@code script} by its SHA-1. The server returns the error {@code NOSCRIPT} if it does not have the script.
     */
    public static Command<Reply> evalSha(Script script, List<?> keys, List<?> arguments) {
        return command(EVALSHA, script.sha1(), keys, arguments);
    }

    /** Runs a script that does not write. Sends its whole body. Redis 7.0 or later. */
    public static Command<Reply> evalReadOnly(Script script, List<?> keys, List<?> arguments) {
        return command(EVAL_RO, script.body(), keys, arguments);
    }

    /** Runs a script that does not write by its SHA-1, as {@link #evalSha} does. Redis 7.0 or later. */
    public static Command<Reply> evalShaReadOnly(Script script, List<?> keys, List<?> arguments) {
        return command(EVALSHA_RO, script.sha1(), keys, arguments);
    }

    /** Returns for each of {@code scripts} whether the server has the script. Requires at least one script. */
    public static Command<List<Boolean>> exist(Script... scripts) {
        return Arguments.of()
                .addEach("scripts", Arrays.stream(scripts).map(Script::sha1).toArray())
                .to(SCRIPT_EXISTS);
    }

    /** Loads {@code script} into the server without running it. */
    public static Command<String> load(Script script) {
        return Command.of(SCRIPT_LOAD, script.body());
    }

    /** Returns {@code spec} with a script or the name of a function, and with keys and arguments. */
    static Command<Reply> command(CommandSpec<Reply> spec, String script, List<?> keys, List<?> arguments) {
        Arguments all = Arguments.of(script, keys.size());
        keys.forEach(all::add);
        arguments.forEach(all::add);
        return all.to(keys.isEmpty() ? spec.withoutKey() : spec);
    }
}
