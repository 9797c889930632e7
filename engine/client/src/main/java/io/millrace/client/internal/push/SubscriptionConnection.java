// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.push;

import io.millrace.client.ClientOptions;
import io.millrace.client.Message;
import io.millrace.client.SubscribeOptions;
import io.millrace.client.Subscription;
import io.millrace.client.Topic;
import io.millrace.client.exception.ConnectException;
import io.millrace.client.internal.connect.Login;
import io.millrace.client.internal.time.ClockAndRandom;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** A subscription to one server: a {@link SubscriptionPart} that fills a mailbox with messages. */
public final class SubscriptionConnection implements Subscription, SubscriptionPart.Whole {

    private final ClientOptions options;
    private final MessageBuffer messages;
    private final Mailbox<Message> mailbox;
    private final LongAdder gaps = new LongAdder();
    private final SubscriptionPart part;

    private SubscriptionConnection(
            ClientOptions options, Login login, ClockAndRandom clockAndRandom, SubscribeOptions subscribeOptions) {
        this.options = options;
        this.messages = new MessageBuffer(subscribeOptions.buffer(), subscribeOptions.bufferBytes());
        this.mailbox = new Mailbox<>("subscription", messages);
        Map<Topic, Boolean> first = new LinkedHashMap<>();
        subscribeOptions.topics().forEach(topic -> first.put(topic, true));
        this.part = new SubscriptionPart(options, login, clockAndRandom, first, ServedTopics.ALL, this);
    }

    /** Opens a subscription and waits until the server has confirmed it. */
    public static SubscriptionConnection open(
            ClientOptions options, Login login, ClockAndRandom clockAndRandom, SubscribeOptions subscribeOptions) {
        SubscriptionConnection subscription =
                new SubscriptionConnection(options, login, clockAndRandom, subscribeOptions);
        subscription.part.open();
        return subscription;
    }

    @Override
    public Optional<Message> poll(Duration timeout) {
        return mailbox.take(timeout);
    }

    @Override
    public void subscribe(Topic... added) {
        change(added, true);
    }

    @Override
    public void unsubscribe(Topic... removed) {
        change(removed, false);
    }

    private void change(Topic[] changed, boolean subscribes) {
        part.await(
                part.change(new LinkedHashSet<>(List.of(changed)), subscribes),
                options.commandTimeout().toNanos());
    }

    @Override
    public Set<Topic> topics() {
        return part.topics().wanted();
    }

    @Override
    public int waiting() {
        return mailbox.size();
    }

    @Override
    public long dropped() {
        return messages.dropped();
    }

    @Override
    public long gaps() {
        return gaps.sum();
    }

    @Override
    public boolean isOpen() {
        return part.isOpen();
    }

    @Override
    public void close() {
        part.close();
    }

    // Called by the thread of the connection.

    @Override
    public void received(Message message) {
        mailbox.put(message);
    }

    @Override
    public void gap() {
        gaps.increment();
    }

    @Override
    public void ended(@Nullable ConnectException failure) {
        mailbox.close(failure);
    }
}
