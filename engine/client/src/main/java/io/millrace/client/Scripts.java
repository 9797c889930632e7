// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.resp.Reply;
import java.util.List;

/**
 * Commands that run scripts on the server. Keys and arguments are each a {@link String}, a {@code byte[]} or a
 * {@link Number}; what a script answers is up to it.
 */
public final class Scripts {

    /** {@code EVAL body numkeys key … argument …}: whatever the script answers. */
    public static final CommandSpec<Reply> EVAL =
            CommandSpec.of("EVAL", Replies::raw).keyAt(2);

    /** {@code EVALSHA sha1 numkeys key … argument …}: whatever the script answers. */
    public static final CommandSpec<Reply> EVALSHA =
            CommandSpec.of("EVALSHA", Replies::raw).keyAt(2);

    /** {@code SCRIPT LOAD body}: its SHA-1. */
    public static final CommandSpec<String> SCRIPT_LOAD =
            CommandSpec.of("SCRIPT LOAD", Replies::text).withoutKey();

    private Scripts() {}

    /** Runs {@code script}, whose body travels along. */
    public static Command<Reply> eval(Script script, List<?> keys, List<?> arguments) {
        return run(EVAL, script.body(), keys, arguments);
    }

    /** Runs {@code script} by its SHA-1; an error {@code NOSCRIPT} if the server does not have it. */
    public static Command<Reply> evalSha(Script script, List<?> keys, List<?> arguments) {
        return run(EVALSHA, script.sha1(), keys, arguments);
    }

    /** Gives {@code script} to the server, without running it. */
    public static Command<String> load(Script script) {
        return Command.of(SCRIPT_LOAD, script.body());
    }

    private static Command<Reply> run(CommandSpec<Reply> spec, String script, List<?> keys, List<?> arguments) {
        Arguments all = Arguments.of(script, keys.size());
        keys.forEach(all::add);
        arguments.forEach(all::add);
        return all.to(keys.isEmpty() ? spec.withoutKey() : spec);
    }
}
