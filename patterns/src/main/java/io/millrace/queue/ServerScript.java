// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.Command;
import io.millrace.client.ErrorReplyException;
import io.millrace.client.RedisClient;
import io.millrace.client.Replies;
import io.millrace.client.Script;
import io.millrace.client.Scripts;
import io.millrace.resp.Reply;
import java.util.List;

/** A script that the server is expected to know already, and is given if it does not. */
record ServerScript(Script script) {

    static ServerScript of(String body) {
        return new ServerScript(Script.of(body));
    }

    Reply run(RedisClient client, List<?> keys, List<?> arguments) {
        try {
            return client.call(Scripts.evalSha(script, keys, arguments));
        } catch (ErrorReplyException e) {
            if (!e.code().equals("NOSCRIPT")) {
                throw e;
            }
            return client.call(Scripts.eval(script, keys, arguments));
        }
    }

    /** For a pipeline, where nobody can give the server what it does not know: the body travels along. */
    Command<Boolean> flag(List<?> keys, List<?> arguments) {
        return Scripts.eval(script, keys, arguments).as(Replies::flag);
    }
}
