// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.resp.Reply;
import java.util.List;
import java.util.Map;

/** Commands on hash keys. */
public final class Hashes {

    /** {@code HSET key field value …}: how many fields are new. */
    public static final CommandSpec<Long> HSET = CommandSpec.of("HSET", Replies::integer);

    /** {@code HMGET key field …}: a bulk string or null for each field. */
    public static final CommandSpec<List<Reply>> HMGET =
            CommandSpec.of("HMGET", Replies::items).idempotently();

    private Hashes() {}

    /** Sets {@code fields} of {@code key}; what else is in the hash stays. */
    public static Command<Long> set(String key, Map<String, String> fields) {
        Object[] arguments = new Object[1 + 2 * fields.size()];
        int at = 0;
        arguments[at++] = key;
        for (Map.Entry<String, String> field : fields.entrySet()) {
            arguments[at++] = field.getKey();
            arguments[at++] = field.getValue();
        }
        return Command.of(HSET, arguments);
    }
}
