// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples;

import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Keys;
import io.millrace.client.command.SetOptions;
import io.millrace.client.command.Strings;
import java.time.Duration;
import java.util.Optional;

/** Sets, reads and deletes a key, and waits for each reply. */
public final class SetGetDelete {

    private SetGetDelete() {}

    public static void main(String[] args) {
        System.out.println(run(args.length == 0 ? "redis://127.0.0.1:6379" : args[0]));
    }

    /** Returns the value before the set, the value after the set, and the number of deleted keys. */
    static String run(String uri) {
        // snippet: set-get-delete
        // Connect once and share the client between all threads of an application.
        try (RedisClient client = RedisClient.connect(RedisUri.parse(uri))) {
            Optional<String> before = client.call(Strings.get("example:greeting"));
            client.call(Strings.set("example:greeting", "hello", SetOptions.ALWAYS.expiringIn(Duration.ofMinutes(1))));
            Optional<String> greeting = client.call(Strings.get("example:greeting"));
            long deleted = client.call(Keys.delete("example:greeting"));
            return "value before: %s, value after: %s, deleted keys: %s".formatted(before, greeting, deleted);
        }
        // end
    }
}
