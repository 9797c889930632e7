// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import io.millrace.client.Command;
import io.millrace.client.ErrorReplyException;
import io.millrace.client.RedisClient;
import io.millrace.client.Replies;
import io.millrace.client.Script;
import io.millrace.client.Scripts;
import java.time.Duration;
import java.util.List;

/** A script that says whether it did something, and that the server is expected to know already, and is given if it does not. */
record ServerScript(Script script) {

    static ServerScript of(String body) {
        return new ServerScript(Script.of(body));
    }

    boolean run(RedisClient client, Duration timeout, List<?> keys, List<?> arguments) {
        try {
            return client.call(
                    Scripts.evalSha(script, keys, arguments).as(Replies::flag).within(timeout));
        } catch (ErrorReplyException e) {
            if (!e.code().equals("NOSCRIPT")) {
                throw e;
            }
            return client.call(withBody(timeout, keys, arguments));
        }
    }

    /** The body travels along: for a pipeline, and where nobody waits, so that nobody could give the server what it does not know. */
    Command<Boolean> withBody(Duration timeout, List<?> keys, List<?> arguments) {
        return Scripts.eval(script, keys, arguments).as(Replies::flag).within(timeout);
    }
}
