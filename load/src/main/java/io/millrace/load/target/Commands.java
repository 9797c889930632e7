// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.client.command.CommandSpec;
import io.millrace.resp.Reply;

/** The commands that write rows and read them back. They return the raw reply. */
final class Commands {

    static final CommandSpec<Reply> SET = CommandSpec.of("SET", reply -> reply);
    static final CommandSpec<Reply> HSET = CommandSpec.of("HSET", reply -> reply);
    static final CommandSpec<Reply> HMGET = CommandSpec.of("HMGET", reply -> reply);
    static final CommandSpec<Reply> JSON_SET = CommandSpec.of("JSON.SET", reply -> reply);

    /** Sends a script with its body: for the first row of a connection, for a retry, and to read rows back. */
    static final CommandSpec<Reply> EVAL =
            CommandSpec.of("EVAL", (Reply reply) -> reply).keyAt(2);

    /**
     * Sends the digest of a script. If the server does not have the script, for example after a {@code SCRIPT FLUSH},
     * the reply is the error {@code NOSCRIPT}, and the row is retried with {@link #EVAL}.
     */
    static final CommandSpec<Reply> EVALSHA =
            CommandSpec.of("EVALSHA", (Reply reply) -> reply).keyAt(2);

    private Commands() {}
}
