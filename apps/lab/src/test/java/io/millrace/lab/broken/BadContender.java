// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.broken;

import io.millrace.lab.library.Endpoint;
import io.millrace.lab.run.News;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.Second;
import io.millrace.lab.run.Task;
import io.millrace.lab.run.WarmContender;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;

/** A contender that does its task as well as its behaviour lets it. */
public record BadContender(Behaviour behaviour) implements WarmContender {

    @Override
    public String name() {
        return behaviour.contender;
    }

    @Override
    public String variant() {
        return behaviour.variant;
    }

    @Override
    public String note() {
        return behaviour.name();
    }

    /** All share one, but for those that have to do with its life. */
    @Override
    public String jvm() {
        return switch (behaviour) {
            case FRESH, DIES, RESTS_ON_ITS_WARM_UP -> label();
            default -> "shared";
        };
    }

    @Override
    public boolean isFreshEachRound() {
        return behaviour == Behaviour.FRESH || behaviour == Behaviour.RESTS_ON_ITS_WARM_UP;
    }

    @Override
    public Rounds open(Task task) {
        if (behaviour == Behaviour.DOES_NOT_OPEN) {
            throw new IllegalStateException("the door is locked");
        }
        System.out.println("done {}"); // what a library prints is no answer
        return new BadRounds(behaviour, task.endpoint(), task.operations());
    }

    private static Jedis connect(Endpoint endpoint) {
        return new Jedis(
                new HostAndPort(endpoint.host(), endpoint.port()),
                DefaultJedisClientConfig.builder()
                        .user(endpoint.username().orElse(null))
                        .password(endpoint.password().orElse(null))
                        .database(endpoint.database())
                        .timeoutMillis(60_000)
                        .build());
    }

    private static final class BadRounds implements Rounds {

        private final Behaviour behaviour;
        private final Endpoint endpoint;
        private final Jedis connection;
        private final long operations;
        private Consumer<News> listener = news -> {};
        private final List<String> complaints = new ArrayList<>();

        BadRounds(Behaviour behaviour, Endpoint endpoint, long operations) {
            this.behaviour = behaviour;
            this.endpoint = endpoint;
            this.connection = connect(endpoint);
            this.operations = operations;
            if (behaviour == Behaviour.RESTS_ON_ITS_WARM_UP) {
                setAll();
            }
        }

        private void setAll() {
            for (long n = 0; n < operations; n++) {
                connection.set(BrokenExperiment.key(n), BrokenExperiment.value(n));
            }
        }

        @Override
        public void watch(Consumer<News> news) {
            listener = news;
        }

        @Override
        public Optional<Outcomes> run() {
            if (behaviour == Behaviour.GOOD_AND_TALKATIVE) {
                listener.accept(new Second(1, 7, Outcomes.answered(7, 0), 0, -1));
                listener.accept(new Second(2, 8, Outcomes.answered(8, 0), 0, -1));
            }
            if (behaviour == Behaviour.TORRENTIAL) {
                pour();
            }
            if (behaviour == Behaviour.RESTS_ON_ITS_WARM_UP) {
                return Optional.empty();
            }
            if (behaviour == Behaviour.LEAVES_WRONG_TYPE) {
                connection.lpush(BrokenExperiment.key(0), "x");
                return Optional.empty();
            }
            for (long n = 0; n < operations; n++) {
                if (n == operations / 2) {
                    halfway();
                }
                if (behaviour != Behaviour.LOSES_EVERY_TENTH_SET || n % 10 != 9) {
                    connection.set(BrokenExperiment.key(n), BrokenExperiment.value(n));
                }
            }
            read();
            return Optional.empty();
        }

        /** Replies are read meanwhile: what a client has not read when it dies resets the connection. */
        private void pour() {
            try (var socket = new Socket(endpoint.host(), endpoint.port())) {
                var replies = CompletableFuture.runAsync(() -> readReplies(socket));
                var commands = new BufferedOutputStream(socket.getOutputStream());
                for (long n = 0; n < operations; n++) {
                    commands.write(("SET " + BrokenExperiment.key(n) + " '" + BrokenExperiment.value(n) + "'\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
                }
                commands.flush();
                replies.join();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private void readReplies(Socket socket) {
            try {
                socket.getInputStream().readNBytes((int) operations * "+OK\r\n".length());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private void halfway() {
            switch (behaviour) {
                case THROWS -> throw new IllegalStateException("enough\nis enough");
                case DIES -> Runtime.getRuntime().halt(1);
                default -> {}
            }
        }

        private void read() {
            var found = new ArrayList<String>();
            for (long n = 0; n < operations; n++) {
                found.add(behaviour == Behaviour.MISSES_READS ? null : connection.get(BrokenExperiment.key(n)));
            }
            if (behaviour == Behaviour.READS_IN_WRONG_ORDER) {
                Collections.reverse(found);
            }
            complaints.clear();
            for (int n = 0; n < operations; n++) {
                boolean lost = behaviour == Behaviour.LOSES_EVERY_TENTH_SET && n % 10 == 9; // it will not own up to it
                if (!lost && !Objects.equals(found.get(n), BrokenExperiment.value(n))) {
                    complaints.add("read " + n + ": " + found.get(n));
                }
            }
        }

        @Override
        public List<String> complaints() {
            return List.copyOf(complaints);
        }

        @Override
        public Map<String, Double> figures() {
            return Map.of("pid", (double) ProcessHandle.current().pid());
        }

        @Override
        public void close() {
            connection.close();
        }
    }
}
