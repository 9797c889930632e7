// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.client.CommandSpec;
import io.millrace.resp.Reply;

/** The commands that rows become and are read back with; their replies are looked at as they come. */
final class Commands {

    static final CommandSpec<Reply> SET = CommandSpec.of("SET", reply -> reply);
    static final CommandSpec<Reply> HSET = CommandSpec.of("HSET", reply -> reply);
    static final CommandSpec<Reply> HMGET = CommandSpec.of("HMGET", reply -> reply);

    /**
     * Scripts are sent with their body each time: they are short, and a {@code SCRIPT FLUSH} in the middle of a load then
     * rejects no row, as it would with {@code EVALSHA}.
     */
    static final CommandSpec<Reply> EVAL = CommandSpec.of("EVAL", reply -> reply);

    private Commands() {}
}
