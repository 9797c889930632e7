// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import io.millrace.client.ErrorReplyException;
import io.millrace.client.RedisClient;
import io.millrace.client.Script;
import io.millrace.client.Scripts;
import io.millrace.resp.Reply;
import java.util.List;

/** Running scripts that the server is expected to know already, and is given if it does not. */
final class ServerScript {

    private ServerScript() {}

    static Reply run(RedisClient client, Script script, List<?> keys, List<?> arguments) {
        try {
            return client.call(Scripts.evalSha(script, keys, arguments));
        } catch (ErrorReplyException e) {
            if (!e.code().equals("NOSCRIPT")) {
                throw e;
            }
            return client.call(Scripts.eval(script, keys, arguments));
        }
    }
}
