// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import io.millrace.resp.Reply;
import java.util.List;

/**
 * Commands that run scripts on the server. Each key and argument is a {@link String}, a {@code byte[]} or a
 * {@link Number}. Scripts may return any kind of reply.
 */
public final class Scripts {

    /** {@code EVAL body numkeys key … argument …}: returns the script's reply. */
    public static final CommandSpec<Reply> EVAL =
            CommandSpec.of("EVAL", Replies::raw).keyAt(2);

    /** {@code EVALSHA sha1 numkeys key … argument …}: returns the script's reply. */
    public static final CommandSpec<Reply> EVALSHA =
            CommandSpec.of("EVALSHA", Replies::raw).keyAt(2);

    /** {@code SCRIPT LOAD body}: returns the script's SHA-1. */
    public static final CommandSpec<String> SCRIPT_LOAD =
            CommandSpec.of("SCRIPT LOAD", Replies::text).withoutKey();

    private Scripts() {}

    /**
     * Returns a call of {@code script} for {@code RedisClient.call}. That method first sends the SHA-1 of the script.
     * It sends the whole body only if the server does not have the script. A pipeline and {@code RedisClient.send}
     * cannot react to a missing script: use {@link #eval} with them.
     */
    public static ScriptCall<Reply> run(Script script, List<?> keys, List<?> arguments) {
        List<?> keysKept = List.copyOf(keys);
        List<?> argumentsKept = List.copyOf(arguments);
        return new ScriptCall<>(evalSha(script, keysKept, argumentsKept), () -> eval(script, keysKept, argumentsKept));
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

    /** Loads {@code script} into the server without running it. */
    public static Command<String> load(Script script) {
        return Command.of(SCRIPT_LOAD, script.body());
    }

    private static Command<Reply> command(CommandSpec<Reply> spec, String script, List<?> keys, List<?> arguments) {
        Arguments all = Arguments.of(script, keys.size());
        keys.forEach(all::add);
        arguments.forEach(all::add);
        return all.to(keys.isEmpty() ? spec.withoutKey() : spec);
    }
}
