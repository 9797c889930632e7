// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.push;

import io.millrace.client.ClientOptions;
import io.millrace.client.Message;
import io.millrace.client.RedisUri;
import io.millrace.client.SubscribeOptions;
import io.millrace.client.Subscription;
import io.millrace.client.Topic;
import io.millrace.client.exception.ConnectException;
import io.millrace.client.internal.connect.Login;
import io.millrace.client.internal.time.ClockAndRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A subscription in a cluster. Channels and patterns have one connection to any node, because each message reaches all nodes.
 * Shard channels have a connection to each primary that has slots of them. All connections fill one mailbox.
 *
 * <p>DESIGN. A shard channel belongs to the part of the owner of its slot. If the owner changes, the server ends the
 * subscription, or answers {@code MOVED}, or the connection ends. The thread of the connection then only requests a
 * refresh of the slot map. After each refresh, the topology thread calls {@link #ownersChanged}, which gives each shard channel
 * to the part of its owner. A shard channel that its owner does not serve yet is subscribed to again after the next refresh.
 *
 * <p>A call that changes topics waits for their parts. If a topic moves to another part meanwhile, the call waits for the
 * other part, too.
 *
 * <p>The threads of the connections never take {@link #lock}, because a thread that holds the lock may wait for their ends.
 */
public final class ClusterSubscription implements Subscription, SubscriptionPart.Whole {

    /** The part of the channels and patterns, in {@link #parts}. Shard channels have the part of their owner. */
    private static final Optional<RedisUri.Tcp> ANY_NODE = Optional.empty();

    private final ClientOptions options;
    private final Login login;
    private final ClockAndRandom clockAndRandom;
    private final ChannelOwners owners;
    private final MessageBuffer messages;
    private final Mailbox<Message> mailbox;
    private final LongAdder gaps = new LongAdder();

    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by lock.

    private final Map<Optional<RedisUri.Tcp>, SubscriptionPart> parts = new HashMap<>();
    private boolean closed;

    /** Number of times topics have moved from one part to another. */
    private long moves;

    private ClusterSubscription(
            ClientOptions options,
            Login login,
            ClockAndRandom clockAndRandom,
            SubscribeOptions subscription,
            ChannelOwners owners) {
        this.options = options;
        this.login = login;
        this.clockAndRandom = clockAndRandom;
        this.owners = owners;
        this.messages = new MessageBuffer(subscription.buffer(), subscription.bufferBytes());
        this.mailbox = new Mailbox<>("subscription", messages);
    }

    /**
     * Opens a subscription, and waits until the servers have confirmed it. {@link #ownersChanged} must then be called after
     * each change of the owners.
     *
     * @param register makes the new subscription follow the owners
     * @throws ConnectException if a server does not confirm its topics
     */
    public static ClusterSubscription open(
            ClientOptions options,
            Login login,
            ClockAndRandom clockAndRandom,
            SubscribeOptions subscribeOptions,
            ChannelOwners owners,
            Consumer<ClusterSubscription> register) {
        ClusterSubscription subscription =
                new ClusterSubscription(options, login, clockAndRandom, subscribeOptions, owners);
        boolean open = false;
        try {
            subscription.openParts(subscribeOptions.topics());
            register.accept(subscription);
            // The owners may have changed since the parts were opened.
            subscription.ownersChanged();
            subscription.change(subscribeOptions.topics(), true);
            open = true;
        } finally {
            if (!open) {
                subscription.close();
            }
        }
        return subscription;
    }

    private void openParts(Set<Topic> topics) {
        for (Map.Entry<Optional<RedisUri.Tcp>, Set<Topic>> group :
                grouped(topics).entrySet()) {
            Map<Topic, Boolean> first = new LinkedHashMap<>();
            group.getValue().forEach(topic -> first.put(topic, true));
            SubscriptionPart part = newPart(group.getKey(), first);
            part.open();
            lock.lock();
            try {
                parts.put(group.getKey(), part);
            } finally {
                lock.unlock();
            }
        }
    }

    private SubscriptionPart newPart(Optional<RedisUri.Tcp> node, Map<Topic, Boolean> first) {
        return new SubscriptionPart(
                node.map(owners::optionsOf).orElseGet(owners::optionsOfAnyNode),
                login,
                clockAndRandom,
                first,
                node.<ServedTopics>map(address -> new ServedTopics.OfNode(owners, address))
                        .orElse(ServedTopics.ALL),
                this);
    }

    private Optional<RedisUri.Tcp> nodeOf(Topic topic) {
        if (topic.kind() != Topic.Kind.SHARD_CHANNEL) {
            return ANY_NODE;
        }
        RedisUri.Tcp owner = owners.ownerOf(topic);
        return Optional.of(owner == null ? owners.anyNode() : owner);
    }

    /** Whether {@code topic} has another owner than {@code node}. A shard channel without an owner stays where it is. */
    private boolean isElsewhere(Topic topic, Optional<RedisUri.Tcp> node) {
        return topic.kind() == Topic.Kind.SHARD_CHANNEL
                && owners.ownerOf(topic) != null
                && !nodeOf(topic).equals(node);
    }

    private Map<Optional<RedisUri.Tcp>, Set<Topic>> grouped(Set<Topic> topics) {
        Map<Optional<RedisUri.Tcp>, Set<Topic>> groups = new LinkedHashMap<>();
        topics.forEach(topic -> groups.computeIfAbsent(nodeOf(topic), missing -> new LinkedHashSet<>())
                .add(topic));
        return groups;
    }

    // Changes of the topics, called by any thread.

    @Override
    public void subscribe(Topic... added) {
        change(new LinkedHashSet<>(List.of(added)), true);
    }

    @Override
    public void unsubscribe(Topic... removed) {
        change(new LinkedHashSet<>(List.of(removed)), false);
    }

    /** A change of the topics of one part. */
    private record PartChange(SubscriptionPart part, SubscribedTopics.Change change) {}

    private void change(Set<Topic> topics, boolean subscribes) {
        long start = clockAndRandom.clock().getAsLong();
        Set<Topic> wanted = topics;
        long before;
        do {
            before = moves();
            await(begin(wanted, subscribes), start);
            // Another thread may have removed topics meanwhile.
            wanted = new LinkedHashSet<>(topics);
            wanted.retainAll(topics());
        } while (subscribes && before != moves());
    }

    private long moves() {
        lock.lock();
        try {
            return moves;
        } finally {
            lock.unlock();
        }
    }

    private List<PartChange> begin(Set<Topic> changed, boolean subscribes) {
        lock.lock();
        try {
            checkOpen();
            List<PartChange> changes = new ArrayList<>();
            Set<Topic> unknown = new LinkedHashSet<>(changed);
            for (SubscriptionPart part : parts.values()) {
                Set<Topic> known = part.topics().wantedOf(unknown);
                if (!known.isEmpty()) {
                    unknown.removeAll(known);
                    changes.add(new PartChange(part, part.change(known, subscribes)));
                }
            }
            if (subscribes) {
                grouped(unknown).forEach((node, group) -> {
                    SubscriptionPart part = partOf(node);
                    changes.add(new PartChange(part, part.change(group, true)));
                });
            }
            return changes;
        } finally {
            lock.unlock();
        }
    }

    /** The caller holds the lock. */
    private void checkOpen() {
        if (closed) {
            throw SubscribedTopics.ended("closed by this client", false);
        }
    }

    /** The part of {@code node}, which connects in the background if it is new. The caller holds the lock. */
    private SubscriptionPart partOf(Optional<RedisUri.Tcp> node) {
        return parts.computeIfAbsent(node, missing -> {
            SubscriptionPart part = newPart(node, Map.of());
            part.openLater();
            return part;
        });
    }

    private void await(List<PartChange> changes, long start) {
        int awaited = 0;
        try {
            for (PartChange each : changes) {
                long left = options.commandTimeout().toNanos()
                        - (clockAndRandom.clock().getAsLong() - start);
                awaited++;
                each.part.await(each.change, Math.max(0, left));
            }
        } finally {
            changes.subList(awaited, changes.size())
                    .forEach(each -> each.part.topics().forget(each.change));
        }
    }

    // Changes of the owners, called by the thread of the topology.

    /** The cluster was asked for its owners. Gives each shard channel to the part of its owner. Does not wait for servers. */
    public void ownersChanged() {
        List<SubscriptionPart> left = new ArrayList<>();
        lock.lock();
        try {
            if (closed) {
                return;
            }
            moveTopics();
            Set<RedisUri.Tcp> primaries = owners.primaries();
            parts.entrySet().removeIf(entry -> {
                boolean hasLeft = entry.getKey().isPresent()
                        && !primaries.contains(entry.getKey().get())
                        && entry.getValue().topics().wanted().isEmpty();
                if (hasLeft) {
                    left.add(entry.getValue());
                }
                return hasLeft;
            });
            parts.values().stream().filter(part -> part.topics().again()).forEach(SubscriptionPart::wake);
        } finally {
            lock.unlock();
        }
        left.forEach(SubscriptionPart::retire);
    }

    /** The caller holds the lock. */
    private void moveTopics() {
        Map<Optional<RedisUri.Tcp>, Map<Topic, Boolean>> moved = new LinkedHashMap<>();
        boolean interrupted = false;
        for (Map.Entry<Optional<RedisUri.Tcp>, SubscriptionPart> entry : parts.entrySet()) {
            SubscriptionPart part = entry.getValue();
            SubscribedTopics.Taken taken = part.topics().take(topic -> isElsewhere(topic, entry.getKey()));
            // The server, or the loss of the connection, has ended the other subscriptions.
            interrupted |= taken.served() && part.isConnected();
            taken.topics()
                    .forEach((topic, proven) -> moved.computeIfAbsent(nodeOf(topic), missing -> new LinkedHashMap<>())
                            .put(topic, proven));
            part.wake();
        }
        if (interrupted) {
            gap();
        }
        moved.forEach((node, topics) -> {
            SubscriptionPart part = partOf(node);
            part.topics().put(topics);
            part.wake();
        });
        if (!moved.isEmpty()) {
            moves++;
        }
    }

    // Called by the threads of the connections.

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
        if (failure != null) {
            mailbox.close(failure);
        }
    }

    // State, called by any thread.

    @Override
    public Optional<Message> poll(Duration timeout) {
        return mailbox.take(timeout);
    }

    private List<SubscriptionPart> allParts() {
        lock.lock();
        try {
            return List.copyOf(parts.values());
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Set<Topic> topics() {
        Set<Topic> all = new LinkedHashSet<>();
        lock.lock();
        try {
            parts.values().forEach(part -> all.addAll(part.topics().wanted()));
        } finally {
            lock.unlock();
        }
        return all;
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
        return allParts().stream().allMatch(SubscriptionPart::isOpen);
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
        } finally {
            lock.unlock();
        }
        owners.closed(this);
        allParts().forEach(SubscriptionPart::close);
        mailbox.close(null);
    }
}
