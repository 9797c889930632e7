// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.queue;

import io.millrace.lab.client.Target;
import io.millrace.lab.queue.QueueLibrary.Guarantee;
import io.netty.channel.epoll.Epoll;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.RBlockingDeque;
import org.redisson.api.RStream;
import org.redisson.api.RedissonClient;
import org.redisson.api.stream.StreamAddArgs;
import org.redisson.api.stream.StreamMessageId;
import org.redisson.api.stream.StreamReadGroupArgs;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;
import org.redisson.config.TransportMode;

/** The objects of Redisson that can serve as a job queue: two deques, a stream, a blocking queue. */
final class RedissonQueue {

    private static final String SETTINGS = "; " + QueueLibrary.CONCURRENCY
            + " platform threads; StringCodec, the default pool of 64 connections, the native transport where there is one";
    private static final String DOCUMENTATION =
            "https://github.com/redisson/redisson/blob/redisson-4.7.0/docs/data-and-services/";

    static final QueueLibrary TWO_DEQUES = new QueueLibrary(
            "redisson",
            "two-deques",
            Guarantee.AT_LEAST_ONCE,
            "RBlockingDeque.pollLastAndOfferFirstTo() into a deque of taken jobs, remove() after the job; a new worker moves"
                    + " the taken jobs back" + SETTINGS,
            DOCUMENTATION + "queues.md",
            (target, silence) -> new Deques(target, true));

    static final QueueLibrary BLOCKING_QUEUE = new QueueLibrary(
            "redisson",
            "blocking-queue",
            Guarantee.AT_MOST_ONCE,
            "RBlockingDeque.pollLast()" + SETTINGS,
            DOCUMENTATION + "queues.md",
            (target, silence) -> new Deques(target, false));

    static final QueueLibrary STREAM_SINGLE = stream("stream", 1);

    static final QueueLibrary STREAM_BATCH = stream("stream-10", 10);

    private static final long WAIT_SECONDS = 1;

    private static QueueLibrary stream(String mode, int count) {
        return new QueueLibrary(
                "redisson",
                mode,
                Guarantee.AT_LEAST_ONCE,
                "RStream.readGroup() of at most " + count
                        + " at a time, ack() after the jobs; consumers claim the jobs of"
                        + " silent consumers by autoClaim() when no new job arrives" + SETTINGS,
                DOCUMENTATION + "streams.md",
                (target, silence) -> new Stream(target, count, silence));
    }

    private static RedissonClient connect(Target target) {
        var config = new Config().setTransportMode(Epoll.isAvailable() ? TransportMode.EPOLL : TransportMode.NIO);
        target.username().ifPresent(config::setUsername);
        target.password().ifPresent(config::setPassword);
        config.useSingleServer()
                .setAddress("redis://" + target.host() + ":" + target.port())
                .setDatabase(target.database())
                .setTimeout((int) target.timeout().toMillis());
        return Redisson.create(config);
    }

    private static void close(RedissonClient client) {
        client.shutdown(0, Duration.ofMinutes(1).toMillis(), TimeUnit.MILLISECONDS);
    }

    private static final class Deques implements QueueAdapter {

        private final Target target;
        private final boolean isReliable;
        private final RedissonClient client;
        private final RBlockingDeque<String> waiting;
        private final RBlockingDeque<String> taken;

        Deques(Target target, boolean isReliable) {
            this.target = target;
            this.isReliable = isReliable;
            client = connect(target);
            waiting = client.getBlockingDeque(NAME, StringCodec.INSTANCE);
            taken = client.getBlockingDeque(TAKEN, StringCodec.INSTANCE);
            for (@Nullable String job = taken.pollFirst(); job != null; job = taken.pollFirst()) {
                waiting.addLast(job);
            }
        }

        @Override
        public void push(String job) {
            waiting.addFirst(job);
        }

        @Override
        public void pushAll(List<String> jobs) {
            JedisQueue.pushAllToList(target, jobs);
        }

        @Override
        public Consumers start(int concurrency, Handler handler) {
            return ConsumerThreads.start(concurrency, consumer -> {
                @Nullable
                String job = isReliable
                        ? waiting.pollLastAndOfferFirstTo(TAKEN, WAIT_SECONDS, TimeUnit.SECONDS)
                        : waiting.pollLast(WAIT_SECONDS, TimeUnit.SECONDS);
                if (job == null) {
                    return 0;
                }
                handler.handle(job);
                if (isReliable) {
                    boolean unused = taken.remove(job);
                }
                return 1;
            });
        }

        @Override
        public void close() {
            RedissonQueue.close(client);
        }
    }

    private static final class Stream implements QueueAdapter {

        private final Target target;
        private final int count;
        private final Duration silence;
        private final RedissonClient client;
        private final RStream<String, String> stream;

        Stream(Target target, int count, Duration silence) {
            this.target = target;
            this.count = count;
            this.silence = silence;
            client = connect(target);
            stream = client.getStream(STREAM, StringCodec.INSTANCE);
        }

        @Override
        public void push(String job) {
            var unused = stream.add(StreamAddArgs.entry(FIELD, job));
        }

        @Override
        public void pushAll(List<String> jobs) {
            JedisQueue.addAllToStream(target, jobs);
        }

        @Override
        public Consumers start(int concurrency, Handler handler) {
            JedisQueue.createGroup(target);
            String process = "process-" + ProcessHandle.current().pid() + "-";
            return ConsumerThreads.start(concurrency, consumer -> {
                String name = process + consumer;
                Map<StreamMessageId, Map<String, String>> entries = stream.readGroup(
                        GROUP,
                        name,
                        StreamReadGroupArgs.neverDelivered().count(count).timeout(Duration.ofSeconds(WAIT_SECONDS)));
                if (entries.isEmpty()) {
                    entries = stream.autoClaim(
                                    GROUP, name, silence.toMillis(), TimeUnit.MILLISECONDS, StreamMessageId.MIN, count)
                            .getMessages();
                }
                return handle(entries, handler);
            });
        }

        private int handle(Map<StreamMessageId, Map<String, String>> entries, Handler handler) throws Exception {
            for (Map<String, String> fields : entries.values()) {
                handler.handle(QueueAdapter.jobOf(fields));
            }
            return entries.isEmpty()
                    ? 0
                    : (int) stream.ack(GROUP, entries.keySet().toArray(StreamMessageId[]::new));
        }

        @Override
        public void close() {
            RedissonQueue.close(client);
        }
    }

    private RedissonQueue() {}
}
