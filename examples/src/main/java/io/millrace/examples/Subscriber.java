// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples;

import io.millrace.client.Message;
import io.millrace.client.PubSub;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.Subscription;
import io.millrace.client.Topics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Listens to a channel. Redis keeps no message for who is not there, so those that may be missing are counted. */
public final class Subscriber {

    static final String CHANNEL = "example:news";
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    /** What came, and how often some may not have come. */
    record Heard(List<String> texts, long dropped, long gaps) {}

    private Subscriber() {}

    public static void main(String[] args) {
        String uri = args.length == 0 ? "redis://127.0.0.1:6379" : args[0];
        try (RedisClient client = RedisClient.connect(RedisUri.parse(uri));
                Subscription subscription = client.subscribe(Topics.channels(CHANNEL))) {
            for (String text : List.of("one", "two", "three")) {
                long told = client.call(PubSub.publish(CHANNEL, text));
                System.out.println("told " + told + " subscribers: " + text);
            }
            System.out.println(listen(subscription, 3));
        }
    }

    /** Takes messages until there were {@code count}, or none comes any more. */
    static Heard listen(Subscription subscription, int count) {
        // snippet: subscribe
        List<String> texts = new ArrayList<>();
        while (texts.size() < count) {
            Optional<Message> message = subscription.poll(PATIENCE);
            if (message.isEmpty()) {
                break; // nothing came for so long, or the subscription was closed
            }
            texts.add(message.get().text());
        }
        return new Heard(texts, subscription.dropped(), subscription.gaps());
        // end
    }
}
