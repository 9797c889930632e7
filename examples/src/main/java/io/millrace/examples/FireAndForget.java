// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples;

import io.millrace.client.ClientOptions;
import io.millrace.client.CommandCounts;
import io.millrace.client.Overflow;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Strings;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Counts clicks without waiting for replies. A web request must not wait for Redis. A click that is not counted does no
 * harm, but the program must know the number of such clicks.
 */
public final class FireAndForget {

    static final String CLICKS = "example:clicks";

    private FireAndForget() {}

    public static void main(String[] args) throws InterruptedException {
        RedisUri uri = RedisUri.parse(args.length == 0 ? "redis://127.0.0.1:6379" : args[0]);
        // A separate client sends the clicks. If too many clicks arrive, only commands of this client are refused.
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
                .inFlight(1_000) // maximum number of commands without a reply
                .inFlightBytes(1 << 20) // maximum number of bytes of these commands
                .overflow(Overflow.REFUSE) // further commands are refused at once; by default they wait for a permit
                .commandTimeout(Duration.ofSeconds(1))
                .build();
        // end
    }

    /** Counts {@code clicks} clicks, waits until each click has an outcome, and returns the counts by outcome. */
    @SuppressWarnings("FutureReturnValueIgnored") // the stats count every outcome
    static CommandCounts count(RedisClient client, int clicks) throws InterruptedException {
        // snippet: fire-and-forget
        for (int click = 0; click < clicks; click++) {
            client.send(Strings.increment(CLICKS));
        }
        // Commands pending at close() would be lost. Every command has a deadline, so this loop ends.
        while (client.stats().counts().pending() > 0) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
        return client.stats().counts();
        // end
    }
}
