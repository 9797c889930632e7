// SPDX-License-Identifier: Apache-2.0
package example;

import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Strings;

/** Sets a key and reads it. */
public final class FirstSteps {

    private FirstSteps() {}

    public static void main(String[] args) {
        String uri = args.length == 0 ? "redis://127.0.0.1:6379" : args[0];
        try (RedisClient client = RedisClient.connect(RedisUri.parse(uri))) {
            client.call(Strings.set("greeting", "hello"));
            System.out.println(client.call(Strings.get("greeting")).orElse("no greeting"));
        }
    }
}
