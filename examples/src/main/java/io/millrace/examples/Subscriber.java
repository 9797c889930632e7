// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples;

import io.millrace.client.Message;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.SubscribeOptions;
import io.millrace.client.Subscription;
import io.millrace.client.Topic;
import io.millrace.client.command.PubSub;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Receives messages of a channel. Redis does not store messages for a subscriber that is not connected. So the example
 * also reports how many messages may be lost.
 */
public final class Subscriber {

    static final String CHANNEL = "example:news";
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    /** The received messages, and the counts of possible losses. */
    record Received(List<String> texts, long dropped, long gaps) {}

    private Subscriber() {}

    public static void main(String[] args) {
        String uri = args.length == 0 ? "redis://127.0.0.1:6379" : args[0];
        try (RedisClient client = RedisClient.connect(RedisUri.parse(uri));
                Subscription subscription = client.subscribe(SubscribeOptions.channels(CHANNEL))) {
            for (String text : List.of("one", "two", "three")) {
                long receivers = client.call(PubSub.publish(CHANNEL, text));
                System.out.println("delivered to " + receivers + " subscribers: " + text);
            }
            System.out.println(listen(subscription, 3));
            System.out.println("receivers of the next channel: " + move(client, subscription, "example:sport"));
        }
    }

    /** Receives messages until {@code count} messages have arrived, or until no message arrives within the timeout. */
    static Received listen(Subscription subscription, int count) {
        // snippet: subscribe
        List<String> texts = new ArrayList<>();
        while (texts.size() < count) {
            Optional<Message> message = subscription.poll(TIMEOUT);
            if (message.isEmpty()) {
                break; // no message within the timeout, or the subscription was closed
            }
            texts.add(message.get().text());
        }
        return new Received(texts, subscription.dropped(), subscription.gaps());
        // end
    }

    /** Replaces the channel of an open subscription. Returns the number of receivers of a first message. */
    static long move(RedisClient client, Subscription subscription, String next) {
        // snippet: change-topics
        subscription.subscribe(Topic.channel(next)); // returns when the server has confirmed the channel
        long receivers = client.call(PubSub.publish(next, "first message"));
        subscription.unsubscribe(Topic.channel(CHANNEL)); // the server sends no more messages of this channel
        return receivers;
        // end
    }
}
