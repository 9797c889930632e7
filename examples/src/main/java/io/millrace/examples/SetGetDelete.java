// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples;

import io.millrace.client.Keys;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.SetOptions;
import io.millrace.client.Strings;
import java.time.Duration;
import java.util.Optional;

/** Writes a key, reads it and deletes it, and waits for each reply. */
public final class SetGetDelete {

    private SetGetDelete() {}

    public static void main(String[] args) {
        System.out.println(run(args.length == 0 ? "redis://127.0.0.1:6379" : args[0]));
    }

    /** What was read of a key that is not there, is there, and was deleted. */
    static String run(String uri) {
        // snippet: set-get-delete
        // Connect once: a client is made to be shared by all threads of an application.
        try (RedisClient client = RedisClient.connect(RedisUri.parse(uri))) {
            Optional<String> before = client.call(Strings.get("example:greeting"));
            client.call(Strings.set("example:greeting", "hello", SetOptions.ALWAYS.expiringIn(Duration.ofMinutes(1))));
            Optional<String> greeting = client.call(Strings.get("example:greeting"));
            long deleted = client.call(Keys.delete("example:greeting"));
            return "before: %s, then: %s, deleted: %d".formatted(before, greeting, deleted);
        }
        // end
    }
}
