// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.client.command.CommandSpec;
import io.millrace.resp.Reply;

/** The commands that write rows and read them back. They return the raw reply. */
final class Commands {

    static final CommandSpec<Reply> SET = CommandSpec.of("SET", reply -> reply);
    static final CommandSpec<Reply> HSET = CommandSpec.of("HSET", reply -> reply);
    static final CommandSpec<Reply> HMGET = CommandSpec.of("HMGET", reply -> reply);

    /**
     * Scripts are sent with their body each time. They are short, and unlike {@code EVALSHA} they still work after a
     * {@code SCRIPT FLUSH} during the load.
     */
    static final CommandSpec<Reply> EVAL = CommandSpec.of("EVAL", reply -> reply);

    private Commands() {}
}
