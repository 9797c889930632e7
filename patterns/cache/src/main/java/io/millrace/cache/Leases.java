// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import io.millrace.client.Outcome;
import io.millrace.client.Pipeline;
import io.millrace.client.Result;
import io.millrace.client.command.Command;
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
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * The leases of a cache. A lease gives one process the right to load a key. A lease is a Redis key that holds a token
 * and expires. Thread-safe.
 *
 * <p>DESIGN. A script checks the token, writes the loaded entry, and deletes the lease in one step. So a process whose
 * lease has expired, or was deleted by a {@code remove} or {@code put}, cannot write its possibly outdated value. If a
 * load writes no entry, {@link LeaseReturns} deletes its lease.
 */
final class Leases<V> {

    /**
     * Maximum number of leases that one pipeline claims, renews or deletes. If Redis does not answer a pipeline, the
     * cache sends no further pipeline.
     */
    static final int LEASES_AT_ONCE = 1_000;

    /**
     * The reply of {@code PTTL} for a missing key. Leases always expire, so {@code PTTL} never replies -1 for a lease.
     */
    private static final long MISSING = -2;

    /** Stands for the remaining time of a lease if this time is unknown. */
    private static final long REMAINING_UNKNOWN = -1;

    private final EntryStore<V> entryStore;
    private final Duration lease;
    private final LeaseCommands<V> commands;
    private final LeaseRenewer<V> renewer;
    private final LeaseReturns<V> returns;
    private final String owner = UUID.randomUUID().toString();
    private final AtomicLong tokens = new AtomicLong();

    Leases(EntryStore<V> entryStore, Duration lease, LongSupplier clock) {
        this.entryStore = entryStore;
        this.lease = lease;
        this.commands = new LeaseCommands<>(entryStore, lease);
        this.renewer = new LeaseRenewer<>(this, clock);
        this.returns = new LeaseReturns<>(this, clock);
    }

    /** The state of a lease after a claim or a read. */
    enum LeaseState {
        HELD,
        HELD_BY_OTHER,
        FREE,
        /** Redis did not answer. After a claim this process may hold the lease. */
        UNKNOWN,
        /**
         * Nothing was sent, because the circuit is open or Redis did not answer the claims of other keys. This process
         * does not hold the lease.
         */
        NOT_CLAIMED;

        /** Whether Redis answered, or nothing was sent. */
        boolean isKnown() {
            return this != UNKNOWN;
        }
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

        /** The result if nothing was sent. */
        static <V> LeaseSnapshot<V> notClaimed() {
            return new LeaseSnapshot<>(LeaseState.NOT_CLAIMED, Entry.unreachable(), 0);
        }

        /** Whether this process may load the key after a claim. */
        boolean mayLoad() {
            return state != LeaseState.HELD_BY_OTHER;
        }
    }

    Duration lease() {
        return lease;
    }

    /**
     * Returns a new lease for {@code key}, and starts to renew the lease. The caller then claims the lease, and calls
     * {@link #stop} or {@link #giveBack} later.
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

    /**
     * Ends the renewals, and deletes the lease if this process may hold it. Does not block. A later call has no effect.
     */
    void giveBack(HeldLease held) {
        stop(held);
        if (held.mayBeHeld()) {
            returns.add(held);
        }
    }

    /** Ends all renewals, and sends the deletions that remain. */
    void close() {
        renewer.close();
        returns.close();
    }

    /** Whether the circuit is closed. */
    boolean isReachable() {
        return !entryStore.isOpen();
    }

    /**
     * Takes the lease if it is free, and then reads the entry, in one round trip.
     *
     * @throws LoadInterruptedException if the thread is interrupted; this process may then hold the lease
     */
    LeaseSnapshot<V> claim(HeldLease held) {
        return claimAll(List.of(held)).getFirst();
    }

    /**
     * Claims all leases as {@link #claim} does, 1,000 leases in each round trip. After the first claim without a reply,
     * the remaining leases are not claimed. The results have the order of the leases.
     */
    List<LeaseSnapshot<V>> claimAll(List<HeldLease> all) {
        List<LeaseSnapshot<V>> snapshots = new ArrayList<>(all.size());
        boolean answers = true;
        for (int from = 0; answers && from < all.size(); from += LEASES_AT_ONCE) {
            List<LeaseSnapshot<V>> part = claimPart(all.subList(from, Math.min(all.size(), from + LEASES_AT_ONCE)));
            answers = part.stream().allMatch(snapshot -> snapshot.state().isKnown());
            snapshots.addAll(part);
        }
        snapshots.addAll(Collections.nCopies(all.size() - snapshots.size(), LeaseSnapshot.notClaimed()));
        return snapshots;
    }

    private List<LeaseSnapshot<V>> claimPart(List<HeldLease> part) {
        if (entryStore.isOpen()) {
            entryStore.skip(part.getFirst().key);
            return Collections.nCopies(part.size(), LeaseSnapshot.notClaimed());
        }
        Pipeline pipeline = entryStore.client().pipeline();
        List<Claim> claims = new ArrayList<>(part.size());
        for (HeldLease held : part) {
            held.claim = HeldLease.ClaimResult.UNANSWERED;
            claims.add(new Claim(
                    held,
                    pipeline.add(commands.claim(held)),
                    pipeline.add(entryStore.getCommand(held.key)),
                    pipeline.add(commands.remaining(held.key))));
        }
        run(pipeline);
        return claims.stream().map(this::snapshot).toList();
    }

    /** The results of the commands of one claim. */
    private record Claim(HeldLease held, Result<Reply> claimed, Result<Reply> entry, Result<Long> left) {}

    private LeaseSnapshot<V> snapshot(Claim claim) {
        Optional<Reply> claimed = value("claim", claim.claimed());
        if (claimed.isEmpty()) {
            claim.held().claim = withoutReply(claim.claimed().outcome());
            return LeaseSnapshot.unknown();
        }
        boolean free = !(claimed.get() instanceof Reply.Null);
        claim.held().claim = free ? HeldLease.ClaimResult.CONFIRMED : HeldLease.ClaimResult.REFUSED;
        return new LeaseSnapshot<>(
                free ? LeaseState.HELD : LeaseState.HELD_BY_OTHER,
                entry(claim.held().key, claim.entry()),
                value("claim", claim.left()).orElse(REMAINING_UNKNOWN));
    }

    private static HeldLease.ClaimResult withoutReply(Outcome outcome) {
        return switch (outcome) {
            case Outcome.Ok ignored -> HeldLease.ClaimResult.UNANSWERED;
            case Outcome.TimedOut ignored -> HeldLease.ClaimResult.UNANSWERED;
            case Outcome.Failed ignored -> HeldLease.ClaimResult.NOT_EXECUTED;
            case Outcome.Refused ignored -> HeldLease.ClaimResult.NOT_EXECUTED;
            case Outcome.Lost lost ->
                lost.maybeExecuted() ? HeldLease.ClaimResult.UNANSWERED : HeldLease.ClaimResult.NOT_EXECUTED;
        };
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
        Result<Long> left = pipeline.add(commands.remaining(key));
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
     * Renews the leases that still have their tokens, 1,000 leases in each round trip. Returns the other leases. If
     * Redis does not answer, a lease may still exist and is not returned, and the remaining leases are not renewed.
     */
    List<HeldLease> renewAll(List<HeldLease> all) {
        List<HeldLease> lost = new ArrayList<>();
        for (int from = 0; from < all.size(); from += LEASES_AT_ONCE) {
            List<HeldLease> part = all.subList(from, Math.min(all.size(), from + LEASES_AT_ONCE));
            List<Optional<Boolean>> renewed = runForEach("renew", part, commands::renew);
            for (int i = 0; i < renewed.size(); i++) {
                if (!renewed.get(i).orElse(true)) {
                    lost.add(part.get(i));
                }
            }
            if (renewed.stream().allMatch(Optional::isEmpty)) {
                return lost;
            }
        }
        return lost;
    }

    /**
     * Sends the command of each lease in one pipeline. Returns the replies; a reply is empty if the command failed.
     * Blocks for at most the Redis timeout.
     */
    private List<Optional<Boolean>> runForEach(
            String step, List<HeldLease> leases, Function<HeldLease, Command<Boolean>> command) {
        Pipeline pipeline = entryStore.client().pipeline();
        try {
            List<Result<Boolean>> results = leases.stream()
                    .map(held -> pipeline.add(command.apply(held)))
                    .toList();
            List<Result<?>> unused = entryStore.run(pipeline);
            return results.stream().map(result -> value(step, result)).toList();
        } catch (RedisException e) {
            entryStore.recordError(step, e);
            return Collections.nCopies(leases.size(), Optional.empty());
        }
    }

    /**
     * Deletes the leases that still have their tokens, in one round trip, and notes the replies in the leases. While the
     * circuit is open, nothing is sent unless a probe is due. Returns whether Redis answered.
     */
    boolean releaseAll(List<HeldLease> part) {
        return entryStore.runWrite(() -> {
            List<Optional<Boolean>> replies = runForEach("release", part, commands::release);
            for (int i = 0; i < replies.size(); i++) {
                HeldLease held = part.get(i);
                int left = held.emptyRepliesLeft;
                held.emptyRepliesLeft =
                        replies.get(i).map(deleted -> deleted ? 0 : left - 1).orElse(left);
            }
            return replies.stream().anyMatch(Optional::isPresent);
        });
    }

    /**
     * Sends the deletions of leases that still have their tokens, and does not wait for the replies. Stops if the
     * circuit is open, or if the client refuses a command.
     */
    void sendReleases(List<HeldLease> all) {
        for (HeldLease held : all) {
            if (entryStore.isOpen()) {
                return;
            }
            CompletableFuture<Boolean> sent = entryStore.client().send(commands.release(held));
            CompletableFuture<Boolean> unused = sent.whenComplete((released, failure) -> {
                if (failure != null) {
                    entryStore.recordError("release", failure);
                }
            });
            if (sent.isCompletedExceptionally()) {
                return;
            }
        }
    }

    /**
     * Writes the entry and deletes the lease if the lease still has its token. Returns whether Redis confirmed the
     * write. If the lease has another token or is gone, Redis refuses the write, and the refusal is counted.
     */
    boolean write(HeldLease held, EncodedEntry encodedEntry) {
        try {
            boolean written = entryStore.call(writeCommand(held, encodedEntry));
            if (written) {
                entryStore.recordWrites(1);
            } else {
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
        return commands.write(held, encodedEntry);
    }

    /**
     * Writes the entry, and deletes the lease even if another process holds the lease.
     *
     * @throws RedisException if the entry is not written, or the result is unknown
     */
    void put(String key, EncodedEntry encodedEntry) {
        boolean unused = entryStore.call(putCommand(key, encodedEntry));
        entryStore.recordWrites(1);
    }

    /** Returns the command of {@link #put}. */
    Command<Boolean> putCommand(String key, EncodedEntry encodedEntry) {
        return commands.put(key, encodedEntry);
    }

    /**
     * Deletes the entry, and deletes the lease even if another process holds the lease.
     *
     * @throws RedisException if the keys are not deleted, or the result is unknown
     */
    void remove(String key) {
        entryStore.delete(entryStore.redisKey(key), redisKey(key));
    }

    /** Returns the Redis key of the lease. See {@link LeaseCommands#redisKey}. */
    String redisKey(String key) {
        return commands.redisKey(key);
    }
}
