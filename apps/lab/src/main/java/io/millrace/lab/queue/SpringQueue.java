// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.queue;

import io.lettuce.core.api.StatefulConnection;
import io.millrace.lab.client.Target;
import io.millrace.lab.queue.QueueLibrary.Guarantee;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisListCommands.Direction;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettucePoolingClientConfiguration;
import org.springframework.data.redis.connection.stream.Consumer;
import org.springframework.data.redis.connection.stream.MapRecord;
import org.springframework.data.redis.connection.stream.ReadOffset;
import org.springframework.data.redis.connection.stream.StreamOffset;
import org.springframework.data.redis.connection.stream.StreamReadOptions;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.stream.StreamMessageListenerContainer;
import org.springframework.data.redis.stream.StreamMessageListenerContainer.StreamMessageListenerContainerOptions;
import org.springframework.data.redis.stream.StreamMessageListenerContainer.StreamReadRequest;

/** Job queues with Spring Data Redis: two lists, one list, a stream with a listener container. */
abstract class SpringQueue implements QueueAdapter {

    private static final Duration WAIT = Duration.ofSeconds(1);
    private static final int BATCH = 10;
    private static final int PENDING = 1_000;

    private static final String SETTINGS =
            "; StringRedisTemplate on Lettuce, a pool with a connection for each blocking"
                    + " command, one shared connection for the other commands";
    private static final String DOCUMENTATION =
            "https://github.com/spring-projects/spring-data-redis/blob/4.1.1/src/main/antora/modules/ROOT/pages/redis/";

    static final QueueLibrary TWO_LISTS = new QueueLibrary(
            "spring",
            "two-lists",
            Guarantee.AT_LEAST_ONCE,
            "opsForList().move() of one job into a list of taken jobs, remove() after the job; one platform thread for each"
                    + " job at the same time; a new worker moves the taken jobs back" + SETTINGS,
            DOCUMENTATION + "template.adoc",
            (target, silence) -> new Lists(target, true));

    static final QueueLibrary ONE_LIST = new QueueLibrary(
            "spring",
            "one-list",
            Guarantee.AT_MOST_ONCE,
            "opsForList().rightPop() with a timeout" + SETTINGS,
            DOCUMENTATION + "template.adoc",
            (target, silence) -> new Lists(target, false));

    static final QueueLibrary STREAM_LISTENER = new QueueLibrary(
            "spring",
            "stream-listener",
            Guarantee.AT_LEAST_ONCE,
            "StreamMessageListenerContainer with a subscription for each job at the same time, at most " + BATCH
                    + " entries at a time; the listener acknowledges each entry after the job; consumers have fixed"
                    + " names, and begin with the entries that the last consumer of the name did not acknowledge"
                    + SETTINGS,
            DOCUMENTATION + "redis-streams.adoc",
            (target, silence) -> new Stream(target));

    final Target target;
    final LettuceConnectionFactory factory;
    final StringRedisTemplate template;

    private SpringQueue(Target target) {
        this.target = target;
        factory = connect(target);
        template = new StringRedisTemplate(factory);
    }

    private static LettuceConnectionFactory connect(Target target) {
        var server = new RedisStandaloneConfiguration(target.host(), target.port());
        server.setDatabase(target.database());
        target.username().ifPresent(server::setUsername);
        target.password().ifPresent(server::setPassword);
        var pool = new GenericObjectPoolConfig<StatefulConnection<?, ?>>();
        pool.setMaxTotal(QueueLibrary.CONNECTIONS);
        pool.setMaxIdle(QueueLibrary.CONNECTIONS);
        var client = LettucePoolingClientConfiguration.builder()
                .poolConfig(pool)
                .commandTimeout(target.timeout())
                .shutdownQuietPeriod(Duration.ZERO)
                .build();
        var factory = new LettuceConnectionFactory(server, client);
        factory.setEagerInitialization(true);
        try {
            factory.afterPropertiesSet();
            factory.start();
            return factory;
        } catch (RuntimeException e) {
            factory.destroy();
            throw e;
        }
    }

    @Override
    public void close() {
        factory.destroy();
    }

    private static final class Lists extends SpringQueue {

        private final boolean isReliable;

        Lists(Target target, boolean isReliable) {
            super(target);
            this.isReliable = isReliable;
            var lists = template.opsForList();
            while (lists.move(TAKEN, Direction.LEFT, NAME, Direction.RIGHT) != null) {
                // The next worker of this name moves the jobs of the last one back.
            }
        }

        @Override
        public void push(String job) {
            template.opsForList().leftPush(NAME, job);
        }

        @Override
        public void pushAll(List<String> jobs) {
            JedisQueue.pushAllToList(target, jobs);
        }

        @Override
        public Consumers start(int concurrency, Handler handler) {
            var lists = template.opsForList();
            return ConsumerThreads.start(concurrency, consumer -> {
                @Nullable
                String job = isReliable
                        ? lists.move(NAME, Direction.RIGHT, TAKEN, Direction.LEFT, WAIT)
                        : lists.rightPop(NAME, WAIT);
                if (job == null) {
                    return 0;
                }
                handler.handle(job);
                if (isReliable) {
                    lists.remove(TAKEN, 1, job);
                }
                return 1;
            });
        }
    }

    private static final class Stream extends SpringQueue {

        Stream(Target target) {
            super(target);
        }

        @Override
        public void push(String job) {
            template.opsForStream().add(STREAM, Map.of(FIELD, job));
        }

        @Override
        public void pushAll(List<String> jobs) {
            JedisQueue.addAllToStream(target, jobs);
        }

        @Override
        public Consumers start(int concurrency, Handler handler) throws Exception {
            JedisQueue.createGroup(target);
            var listener = new Listener(template, handler);
            for (int consumer = 0; consumer < concurrency; consumer++) {
                doPending(name(consumer), listener);
            }
            var container = StreamMessageListenerContainer.create(
                    factory,
                    StreamMessageListenerContainerOptions.builder()
                            .pollTimeout(WAIT)
                            .batchSize(BATCH)
                            .build());
            for (int consumer = 0; consumer < concurrency; consumer++) {
                var request = StreamReadRequest.builder(StreamOffset.create(STREAM, ReadOffset.lastConsumed()))
                        .consumer(name(consumer))
                        .autoAcknowledge(false)
                        .errorHandler(listener::failed)
                        .build();
                var unused = container.register(request, listener::handle);
            }
            container.start();
            return listener.consumers(container);
        }

        private static Consumer name(int consumer) {
            return Consumer.from(GROUP, "consumer-" + consumer);
        }

        /** Does the jobs that the last consumer of this name did not acknowledge. */
        @SuppressWarnings("unchecked") // The offsets are a generic vararg.
        private void doPending(Consumer name, Listener listener) {
            var pending = template.<String, String>opsForStream()
                    .read(
                            name,
                            StreamReadOptions.empty().count(PENDING),
                            StreamOffset.create(STREAM, ReadOffset.from("0")));
            if (pending != null) {
                pending.forEach(listener::handle);
            }
        }
    }

    /** Does the jobs of a stream. Several threads of the container call the methods. */
    private static final class Listener {

        private final StringRedisTemplate template;
        private final QueueAdapter.Handler handler;
        private final LongAdder done = new LongAdder();
        private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

        Listener(StringRedisTemplate template, QueueAdapter.Handler handler) {
            this.template = template;
            this.handler = handler;
        }

        void handle(MapRecord<String, String, String> entry) {
            try {
                handler.handle(QueueAdapter.jobOf(entry.getValue()));
                var unused = template.opsForStream().acknowledge(GROUP, entry);
                done.increment();
            } catch (Exception e) {
                failed(e);
            }
        }

        void failed(Throwable cause) {
            failure.compareAndSet(null, cause);
        }

        Consumers consumers(StreamMessageListenerContainer<String, MapRecord<String, String, String>> container) {
            return new Consumers() {
                @Override
                public long done() {
                    return done.sum();
                }

                @Override
                public void check() {
                    Throwable first = failure.get();
                    if (first != null) {
                        throw new IllegalStateException("a consumer of the queue failed.", first);
                    }
                }

                @Override
                public void close() {
                    container.stop();
                    check();
                }
            };
        }
    }
}
