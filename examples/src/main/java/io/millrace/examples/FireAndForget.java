// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples;

import io.millrace.client.ClientOptions;
import io.millrace.client.CommandCounts;
import io.millrace.client.Keys;
import io.millrace.client.Overflow;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.Strings;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Counts clicks without waiting for replies: a request must not wait for Redis, and a click that is not counted is no harm,
 * but how many were not has to be known.
 */
public final class FireAndForget {

    static final String CLICKS = "example:clicks";

    private FireAndForget() {}

    public static void main(String[] args) throws InterruptedException {
        RedisUri uri = RedisUri.parse(args.length == 0 ? "redis://127.0.0.1:6379" : args[0]);
        // Clicks have a client of their own: a flood of them refuses clicks, and nothing else.
        try (RedisClient clicks = RedisClient.connect(options(uri));
                RedisClient client = RedisClient.connect(uri)) {
            System.out.println(count(clicks, 100_000));
            System.out.println(
                    "Redis counted " + client.call(Strings.get(CLICKS)).orElse("nothing"));
            client.call(Keys.delete(CLICKS));
        }
    }

    static ClientOptions options(RedisUri uri) {
        // snippet: refuse
        return ClientOptions.builder(uri)
                .inFlight(1_000) // commands without a reply, at most
                .inFlightBytes(1 << 20) // and their bytes
                .overflow(Overflow.REFUSE) // what would be more is refused at once; by default it waits for a place
                .commandTimeout(Duration.ofSeconds(1))
                .build();
        // end
    }

    /** Counts so many clicks, waits until each has its outcome, and returns what became of them. */
    @SuppressWarnings("FutureReturnValueIgnored") // the account knows what became of all
    static CommandCounts count(RedisClient client, int clicks) throws InterruptedException {
        // snippet: fire-and-forget
        for (int click = 0; click < clicks; click++) {
            client.send(Strings.increment(CLICKS));
        }
        // What is pending when a client is closed is lost. Every command has a deadline, so this ends.
        while (client.account().counts().pending() > 0) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
        return client.account().counts();
        // end
    }
}
