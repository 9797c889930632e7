// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import io.millrace.client.Command;
import io.millrace.client.CommandSpec;
import io.millrace.client.InterruptedCommandException;
import io.millrace.client.Pipeline;
import io.millrace.client.RedisException;
import io.millrace.client.Replies;
import io.millrace.client.Result;
import io.millrace.resp.Reply;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Who may load a key, among all processes: whoever has its lease, a key of Redis with a token and an expiry. Any thread.
 *
 * <p>DESIGN. What is loaded is written in one step with a look whether the lease still has the writer's token, and the lease ends with
 * it. So a process that was silent for too long writes nothing any more, and neither does one whose lease a {@code remove} or a
 * {@code put} has taken away: what it loaded may be older.
 */
final class Leases<V> {

    private static final CommandSpec<Reply> TAKE = CommandSpec.of("SET", Replies::raw);
    private static final CommandSpec<Long> LEFT =
            CommandSpec.of("PTTL", Replies::integer).idempotently();

    /** What {@code PTTL} says of a key that is not there; of one that never ends, which is no lease of ours, it says -1. */
    private static final long GONE = -2;

    /** As of a lease that never ends: nothing is to be expected. */
    private static final long UNKNOWN_LEFT = -1;

    private static final ServerScript RENEW = ServerScript.of("""
            if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
            return redis.call('PEXPIRE', KEYS[1], ARGV[2])
            """);

    private static final ServerScript RELEASE = ServerScript.of("""
            if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
            return redis.call('DEL', KEYS[1])
            """);

    private static final ServerScript WRITE = ServerScript.of("""
            if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
            redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[3])
            return redis.call('DEL', KEYS[1])
            """);

    private static final ServerScript PUT = ServerScript.of("""
            redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2])
            return redis.call('DEL', KEYS[1])
            """);

    private final Store<V> store;
    private final Duration lease;
    private final String owner = UUID.randomUUID().toString();
    private final AtomicLong tokens = new AtomicLong();

    Leases(Store<V> store, Duration lease) {
        this.store = store;
        this.lease = lease;
    }

    /** What a claim of a lease has shown, or a look at it. */
    enum Standing {
        OURS,
        ANOTHERS,
        NOBODYS,
        /** Redis did not say; after a claim it may be ours. */
        UNKNOWN
    }

    /**
     * What a claim has shown, or a look.
     *
     * @param entry of the key; read after the claim
     * @param leftMillis of the lease that is not ours
     */
    record Claim<V>(Standing standing, Entry<V> entry, long leftMillis) {

        /** Of which nothing is known. */
        static <V> Claim<V> unknown() {
            return new Claim<>(Standing.UNKNOWN, Entry.unreachable(), 0);
        }

        /** After a claim: whether it is to be released. */
        boolean maybeOurs() {
            return standing != Standing.ANOTHERS;
        }
    }

    Duration lease() {
        return lease;
    }

    String newToken() {
        return owner + ":" + tokens.incrementAndGet();
    }

    /**
     * Takes the lease of {@code key} if nobody has it, and then reads the entry, all in one round trip.
     *
     * @throws LoadInterruptedException if the thread is interrupted meanwhile; the lease may be ours then
     */
    Claim<V> claim(String key, String token) {
        Duration timeout = store.timeout();
        Pipeline pipeline = store.client().pipeline();
        Result<Reply> taken = pipeline.add(Command.of(TAKE, redisKey(key), token, "NX", "PX", lease.toMillis())
                .within(timeout));
        Result<Reply> entry = pipeline.add(store.get(key));
        Result<Long> left = pipeline.add(Command.of(LEFT, redisKey(key)).within(timeout));
        run(pipeline);
        return value(taken)
                .map(reply -> reply instanceof Reply.Null ? Standing.ANOTHERS : Standing.OURS)
                .map(standing ->
                        new Claim<>(standing, entry(key, entry), value(left).orElse(UNKNOWN_LEFT)))
                .orElse(Claim.unknown());
    }

    /**
     * Whether another has the lease still, and the entry, in one round trip. Takes nothing.
     *
     * @throws LoadInterruptedException if the thread is interrupted meanwhile
     */
    Claim<V> look(String key) {
        Pipeline pipeline = store.client().pipeline();
        Result<Long> left = pipeline.add(Command.of(LEFT, redisKey(key)).within(store.timeout()));
        Result<Reply> entry = pipeline.add(store.get(key));
        run(pipeline);
        return value(left)
                .map(millis ->
                        new Claim<>(millis == GONE ? Standing.NOBODYS : Standing.ANOTHERS, entry(key, entry), millis))
                .orElse(Claim.unknown());
    }

    private void run(Pipeline pipeline) {
        try {
            pipeline.run();
        } catch (InterruptedCommandException e) {
            throw store.interrupted(e);
        }
    }

    /** The entry fails by itself where the key is no string; who has the lease is known all the same. */
    private Entry<V> entry(String key, Result<Reply> result) {
        return value(result).map(reply -> store.entry(key, reply)).orElse(Entry.unreachable());
    }

    private <T> Optional<T> value(Result<T> result) {
        try {
            return Optional.of(result.value());
        } catch (RedisException e) {
            store.failed("claim", e);
            return Optional.empty();
        }
    }

    /** Gives the lease its whole time again, if it is still the token's; false if it is known not to be. */
    boolean renew(String key, String token) {
        return run("renew", RENEW, List.of(redisKey(key)), List.of(token, lease.toMillis()))
                .orElse(true);
    }

    /**
     * Ends the lease, if it is still the token's. Does not wait: Redis may be silent, and the thread interrupted. For the thread that has
     * claimed it, whose commands stay in their order: a claim that was not answered may still be on its way.
     */
    void release(String key, String token) {
        Command<Boolean> ending = RELEASE.withBody(store.timeout(), List.of(redisKey(key)), List.of(token));
        CompletableFuture<Boolean> unused = store.client().send(ending).whenComplete((done, failure) -> {
            if (failure != null) {
                store.failed("release", failure);
            }
        });
    }

    /** Writes the entry and ends the lease, if it is still the token's; whether that is known to have been done. */
    boolean write(String key, String token, Draft draft) {
        return run("write", WRITE, keys(key), List.of(token, draft.bytes(), draft.millis()))
                .orElse(false);
    }

    /** The same for a pipeline. */
    Command<Boolean> writing(String key, String token, Draft draft) {
        return WRITE.withBody(store.timeout(), keys(key), List.of(token, draft.bytes(), draft.millis()));
    }

    /**
     * Writes the entry, whoever is loading it.
     *
     * @throws RedisException if it is not written, or if that is not known
     */
    void put(String key, Draft draft) {
        PUT.run(store.client(), store.timeout(), keys(key), List.of(draft.bytes(), draft.millis()));
    }

    /**
     * Deletes the entry, and the lease of whoever is loading it.
     *
     * @throws RedisException if they are not deleted, or if that is not known
     */
    void remove(String key) {
        store.delete(store.redisKey(key), redisKey(key));
    }

    private List<String> keys(String key) {
        return List.of(redisKey(key), store.redisKey(key));
    }

    /**
     * In the hash slot of the entry, and no other entry's: by the key's own hash tag if it has one, otherwise with the entry's name as
     * the tag, and if that cannot be one, for it has a brace that would end it, with a number as the tag.
     */
    String redisKey(String key) {
        int open = key.indexOf('{');
        boolean tagged = open >= 0 && key.indexOf('}', open) > open + 1;
        if (tagged) {
            return store.name() + "~lease~" + key;
        }
        String entry = store.redisKey(key);
        return key.indexOf('}') < 0
                ? store.name() + "~lease:{" + entry + "}"
                : store.name() + "~lease#{" + HashSlot.numberIn(HashSlot.of(entry)) + "}:" + key;
    }

    private Optional<Boolean> run(String step, ServerScript script, List<?> keys, List<?> arguments) {
        try {
            return Optional.of(script.run(store.client(), store.timeout(), keys, arguments));
        } catch (RedisException e) {
            store.failed(step, e);
            return Optional.empty();
        }
    }
}
