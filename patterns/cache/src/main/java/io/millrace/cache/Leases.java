// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import io.millrace.client.Pipeline;
import io.millrace.client.Result;
import io.millrace.client.command.Command;
import io.millrace.client.command.CommandSpec;
import io.millrace.client.command.Replies;
import io.millrace.client.command.Script;
import io.millrace.client.command.Scripts;
import io.millrace.client.exception.InterruptedCommandException;
import io.millrace.client.exception.RedisException;
import io.millrace.resp.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * The leases of a cache. A lease gives one process the right to load a key. A lease is a Redis key that holds a token
 * and expires. Thread-safe.
 *
 * <p>DESIGN. A script checks the token, writes the loaded entry, and deletes the lease in one step. So a process whose
 * lease has expired, or was deleted by a {@code remove} or {@code put}, cannot write its possibly outdated value.
 */
final class Leases<V> {

    private static final CommandSpec<Reply> CLAIM = CommandSpec.of("SET", Replies::raw);
    private static final CommandSpec<Long> REMAINING =
            CommandSpec.of("PTTL", Replies::integer).idempotently();

    /**
     * The reply of {@code PTTL} for a missing key. Leases always expire, so {@code PTTL} never replies -1 for a lease.
     */
    private static final long MISSING = -2;

    /** Stands for the remaining time of a lease if this time is unknown. */
    private static final long REMAINING_UNKNOWN = -1;

    private static final Script RENEW = Script.of("""
            if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
            return redis.call('PEXPIRE', KEYS[1], ARGV[2])
            """);

    private static final Script RELEASE = Script.of("""
            if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
            return redis.call('DEL', KEYS[1])
            """);

    private static final Script WRITE = Script.of("""
            if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
            redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[3])
            return redis.call('DEL', KEYS[1])
            """);

    private static final Script PUT = Script.of("""
            redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2])
            return redis.call('DEL', KEYS[1])
            """);

    private final EntryStore<V> entryStore;
    private final Duration lease;
    private final LeaseRenewer<V> renewer;
    private final String owner = UUID.randomUUID().toString();
    private final AtomicLong tokens = new AtomicLong();

    Leases(EntryStore<V> entryStore, Duration lease, LongSupplier clock) {
        this.entryStore = entryStore;
        this.lease = lease;
        this.renewer = new LeaseRenewer<>(this, clock);
    }

    /** The state of a lease after a claim or a read. */
    enum LeaseState {
        HELD,
        HELD_BY_OTHER,
        FREE,
        /** Redis did not answer. After a claim this process may hold the lease. */
        UNKNOWN,
        /** The circuit is open, so nothing was sent. This process does not hold the lease. */
        NOT_CLAIMED
    }

    /**
     * The result of a claim or a read.
     *
     * @param entry the entry of the key, read after the state of the lease
     * @param leftMillis remaining time of a lease that another process holds
     */
    record LeaseSnapshot<V>(LeaseState state, Entry<V> entry, long leftMillis) {

        /** The result if Redis did not answer. */
        static <V> LeaseSnapshot<V> unknown() {
            return new LeaseSnapshot<>(LeaseState.UNKNOWN, Entry.unreachable(), 0);
        }

        /** The result if the circuit is open. */
        static <V> LeaseSnapshot<V> notClaimed() {
            return new LeaseSnapshot<>(LeaseState.NOT_CLAIMED, Entry.unreachable(), 0);
        }

        /** Whether this process may load the key after a claim. */
        boolean mayLoad() {
            return state != LeaseState.HELD_BY_OTHER;
        }

        /** Whether this process holds or may hold the lease after a claim, and so must release the lease. */
        boolean mayBeHeld() {
            return state == LeaseState.HELD || state == LeaseState.UNKNOWN;
        }
    }

    Duration lease() {
        return lease;
    }

    /**
     * Returns a new lease for {@code key}, and starts to renew the lease. The caller then claims the lease, and calls
     * {@link #stop} later.
     */
    HeldLease begin(String key) {
        HeldLease begun = new HeldLease(key, owner + ":" + tokens.incrementAndGet());
        renewer.start(begun);
        return begun;
    }

    /** Ends the renewals of a lease. */
    void stop(HeldLease held) {
        renewer.stop(held);
    }

    /** Ends all renewals. */
    void close() {
        renewer.close();
    }

    /**
     * Takes the lease if it is free, and then reads the entry, in one round trip.
     *
     * @throws LoadInterruptedException if the thread is interrupted; this process may then hold the lease
     */
    LeaseSnapshot<V> claim(HeldLease held) {
        return claimAll(List.of(held)).getFirst();
    }

    /** Claims all leases in one round trip, as {@link #claim} does. The results have the order of the leases. */
    List<LeaseSnapshot<V>> claimAll(List<HeldLease> all) {
        if (entryStore.isOpen()) {
            entryStore.skip(all.getFirst().key);
            return Collections.nCopies(all.size(), LeaseSnapshot.notClaimed());
        }
        Duration timeout = entryStore.timeout();
        Pipeline pipeline = entryStore.client().pipeline();
        List<Claim> claims = new ArrayList<>(all.size());
        for (HeldLease held : all) {
            String leaseKey = redisKey(held.key);
            claims.add(new Claim(
                    held.key,
                    pipeline.add(Command.of(CLAIM, leaseKey, held.token, "NX", "PX", lease.toMillis())
                            .within(timeout)),
                    pipeline.add(entryStore.getCommand(held.key)),
                    pipeline.add(Command.of(REMAINING, leaseKey).within(timeout))));
        }
        run(pipeline);
        return claims.stream().map(this::snapshot).toList();
    }

    /** The results of the commands of one claim. */
    private record Claim(String key, Result<Reply> claimed, Result<Reply> entry, Result<Long> left) {}

    private LeaseSnapshot<V> snapshot(Claim claim) {
        return value("claim", claim.claimed())
                .map(reply -> reply instanceof Reply.Null ? LeaseState.HELD_BY_OTHER : LeaseState.HELD)
                .map(leaseState -> new LeaseSnapshot<>(
                        leaseState,
                        entry(claim.key(), claim.entry()),
                        value("claim", claim.left()).orElse(REMAINING_UNKNOWN)))
                .orElse(LeaseSnapshot.unknown());
    }

    /**
     * Reads the state of the lease and the entry in one round trip. Does not take the lease.
     *
     * @throws LoadInterruptedException if the thread is interrupted
     */
    LeaseSnapshot<V> read(String key) {
        if (entryStore.isOpen()) {
            entryStore.skip(key);
            return LeaseSnapshot.notClaimed();
        }
        Pipeline pipeline = entryStore.client().pipeline();
        Result<Long> left = pipeline.add(Command.of(REMAINING, redisKey(key)).within(entryStore.timeout()));
        Result<Reply> entry = pipeline.add(entryStore.getCommand(key));
        run(pipeline);
        return value("claim", left)
                .map(millis -> new LeaseSnapshot<>(
                        millis == MISSING ? LeaseState.FREE : LeaseState.HELD_BY_OTHER, entry(key, entry), millis))
                .orElse(LeaseSnapshot.unknown());
    }

    private void run(Pipeline pipeline) {
        try {
            entryStore.run(pipeline);
        } catch (InterruptedCommandException e) {
            throw entryStore.interruptedException(e);
        }
    }

    /**
     * Returns the entry of a reply. If the reply is an error, for example because the key is not a string, the entry
     * has the kind {@code UNREACHABLE}.
     */
    private Entry<V> entry(String key, Result<Reply> result) {
        return value("claim", result)
                .map(reply -> entryStore.decode(key, reply))
                .orElse(Entry.unreachable());
    }

    private <T> Optional<T> value(String step, Result<T> result) {
        try {
            return Optional.of(result.value());
        } catch (RedisException e) {
            entryStore.recordError(step, e);
            return Optional.empty();
        }
    }

    /**
     * Renews the leases that still have their tokens, in one round trip. Returns the other leases. If Redis does not
     * answer, a lease may still exist and is not returned.
     */
    List<HeldLease> renewAll(List<HeldLease> all) {
        Pipeline pipeline = entryStore.client().pipeline();
        List<Result<Boolean>> results = all.stream()
                .map(held -> pipeline.add(
                        withBody(RENEW, List.of(redisKey(held.key)), List.of(held.token, lease.toMillis()))))
                .toList();
        try {
            entryStore.run(pipeline);
        } catch (RedisException e) {
            entryStore.recordError("renew", e);
            return List.of();
        }
        List<HeldLease> lost = new ArrayList<>();
        for (int i = 0; i < results.size(); i++) {
            if (!value("renew", results.get(i)).orElse(true)) {
                lost.add(all.get(i));
            }
        }
        return lost;
    }

    /**
     * Deletes the lease if it still has this token. Does not block, because Redis may be unresponsive. The calling
     * thread must be the thread that sent the claim. An unanswered claim may still reach the server. The commands of
     * one thread reach the server in order, so the server executes the deletion after the claim.
     */
    void release(HeldLease held) {
        Command<Boolean> ending = withBody(RELEASE, List.of(redisKey(held.key)), List.of(held.token));
        CompletableFuture<Boolean> unused = entryStore.client().send(ending).whenComplete((released, failure) -> {
            if (failure != null) {
                entryStore.recordError("release", failure);
            }
        });
    }

    /**
     * Writes the entry and deletes the lease if the lease still has its token. Returns whether Redis confirmed the
     * write. If the lease has another token or is gone, Redis refuses the write, and the refusal is counted.
     */
    boolean write(HeldLease held, EncodedEntry encodedEntry) {
        try {
            boolean written = entryStore.call(writeCommand(held, encodedEntry));
            if (!written) {
                entryStore.recordRefusedWrite();
            }
            return written;
        } catch (RedisException e) {
            entryStore.recordError("write", e);
            return false;
        }
    }

    /** Returns the command of {@link #write}, whose reply says whether the entry is written. */
    Command<Boolean> writeCommand(HeldLease held, EncodedEntry encodedEntry) {
        return withBody(WRITE, keys(held.key), List.of(held.token, encodedEntry.bytes(), encodedEntry.expiryMillis()));
    }

    /**
     * Writes the entry, and deletes the lease even if another process holds the lease.
     *
     * @throws RedisException if the entry is not written, or the result is unknown
     */
    void put(String key, EncodedEntry encodedEntry) {
        boolean unused = entryStore.call(putCommand(key, encodedEntry));
    }

    /** Returns the command of {@link #put}. */
    Command<Boolean> putCommand(String key, EncodedEntry encodedEntry) {
        return withBody(PUT, keys(key), List.of(encodedEntry.bytes(), encodedEntry.expiryMillis()));
    }

    /**
     * Deletes the entry, and deletes the lease even if another process holds the lease.
     *
     * @throws RedisException if the keys are not deleted, or the result is unknown
     */
    void remove(String key) {
        entryStore.delete(entryStore.redisKey(key), redisKey(key));
    }

    private List<String> keys(String key) {
        return List.of(redisKey(key), entryStore.redisKey(key));
    }

    /**
     * Returns the Redis key of the lease, in the hash slot of the entry. If the key has a hash tag, the lease uses this
     * tag. Otherwise the Redis key of the entry becomes the tag. If that Redis key contains a closing brace, the tag is
     * a number that belongs to the same hash slot.
     */
    String redisKey(String key) {
        int open = key.indexOf('{');
        boolean tagged = open >= 0 && key.indexOf('}', open) > open + 1;
        if (tagged) {
            return entryStore.name() + "~lease~" + key;
        }
        String entry = entryStore.redisKey(key);
        return key.indexOf('}') < 0
                ? entryStore.name() + "~lease:{" + entry + "}"
                : entryStore.name() + "~lease#{" + HashSlot.smallestNumberIn(HashSlot.of(entry)) + "}:" + key;
    }

    /**
     * Returns a command that sends the body of a Lua script. Its reply says whether the script changed a key. With the
     * hash of the script, a second command would follow a {@code NOSCRIPT} error. In a pipeline, and if no caller waits
     * for the reply, the client cannot send the second command. In a load, the thread of the load would send the second
     * command, and this may be too late if loaders occupy all carrier threads.
     */
    private Command<Boolean> withBody(Script script, List<?> keys, List<?> arguments) {
        return Scripts.eval(script, keys, arguments).as(Replies::flag).within(entryStore.timeout());
    }
}
