// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import io.millrace.cache.Leases.Claim;
import io.millrace.cache.Leases.Standing;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Calls the loader and has the value written, each load on a virtual thread of its own, so that no caller is kept beyond its
 * deadline and none takes a load with it that others wait for.
 */
final class LoadRunner<V> {

    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /** Between two looks at what another process is loading: what its callers wait in vain at most. */
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** For each that waits for room: however many those are, together they look some 7,000 times a second. */
    private static final long LOOK_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

    /** After a look that Redis did not answer: each takes its whole time, and who looks does not load. */
    private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** After a load in the background of which nothing was kept, until the next: while the old value is served there is no hurry. */
    private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Loads<V> loads;
    private final Store<V> store;
    private final @Nullable Leases<V> leases;
    private final LoadedWriter<V> writer;
    private final Drafts<V> drafts;
    private final Surroundings surroundings;
    private final Tally tally;
    private final long deadlineNanos;
    private final Room room;

    /** The part of the room that those may take that nobody waits for. */
    private final Semaphore refreshRoom;

    LoadRunner(
            Loads<V> loads,
            Store<V> store,
            @Nullable Leases<V> leases,
            LoadedWriter<V> writer,
            Drafts<V> drafts,
            CacheOptions options,
            Surroundings surroundings,
            Tally tally) {
        this.loads = loads;
        this.store = store;
        this.leases = leases;
        this.writer = writer;
        this.drafts = drafts;
        this.surroundings = surroundings;
        this.tally = tally;
        this.deadlineNanos = options.deadline().toNanos();
        this.room = new Room(options.concurrentLoads());
        this.refreshRoom = new Semaphore(Math.max(1, options.concurrentLoads() / 2));
    }

    /** Starts a load that somebody waits for; together with others, if there are any. */
    void start(Loads.Joined<V> joined, @Nullable WriteBack<V> others) {
        start(joined.load(), joined.looksFirst(), others);
    }

    /** Has a key loaded again while its old value is served, unless that is under way, or there is no room. */
    void refresh(Request<V> request) {
        if (loads.isUnderWay(request.key()) || !refreshRoom.tryAcquire()) {
            return;
        }
        if (!room.tryTake()) {
            refreshRoom.release();
            return;
        }
        Optional<Load<V>> load = loads.launch(request);
        if (load.isPresent()) {
            start(load.get(), true, null);
        } else {
            room.giveBack();
            refreshRoom.release();
        }
    }

    private void start(Load<V> load, boolean looksFirst, @Nullable WriteBack<V> others) {
        Thread.ofVirtual().name("millrace-cache-load").start(() -> run(load, looksFirst, others));
    }

    private void run(Load<V> load, boolean looksFirst, @Nullable WriteBack<V> others) {
        boolean onItsWay = false;
        boolean kept = false;
        try {
            load.begin();
            Optional<Loaded<V>> loaded = leases == null ? byItself(load, looksFirst) : underLease(load, leases, others);
            if (loaded.isPresent()) {
                onItsWay = others != null && others.take(loaded.get());
                kept = onItsWay || writer.write(loaded.get());
            }
        } catch (InterruptedException | LoadInterruptedException e) {
            load.end(new LoadOutcome.GaveUp<>("interrupted"));
        } catch (Throwable e) { // waiting until their deadlines would be worse for those that wait
            load.end(new LoadOutcome.Failed<>(e, 0, false));
        } finally {
            if (load.background) {
                room.giveBack();
                refreshRoom.release();
                if (!kept && !load.wasThere()) {
                    rest(load);
                }
            }
            if (!onItsWay) {
                leave(load, others);
                loads.ended(load);
            }
        }
    }

    private void leave(Load<V> load, @Nullable WriteBack<V> others) {
        if (others != null) {
            others.leave(load);
        }
    }

    private void rest(Load<V> load) {
        load.rest();
        try {
            loads.awaitClosed(REST_NANOS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Optional<Loaded<V>> byItself(Load<V> load, boolean looksFirst) throws InterruptedException {
        if (looksFirst) {
            Entry<V> there = store.read(load.key());
            if (isEnough(there, load)) {
                load.end(new LoadOutcome.Arrived<>(there));
                return Optional.empty();
            }
        }
        if (!load.background && !room.take(deadlineNanos)) {
            load.end(noRoom());
            return Optional.empty();
        }
        try {
            return callLoader(load).map(draft -> new Loaded<>(load, draft, "", Renewal.NONE));
        } finally {
            giveRoomBack(load);
        }
    }

    private LoadOutcome<V> noRoom() {
        return new LoadOutcome.GaveUp<>("room among the concurrent loads");
    }

    /** Who launched a load in the background has made room for it. */
    private void giveRoomBack(Load<V> load) {
        if (!load.background) {
            room.giveBack();
        }
    }

    /** Room comes first: a lease that waits for it would keep the key from processes that have room. */
    private Optional<Loaded<V>> underLease(Load<V> load, Leases<V> all, @Nullable WriteBack<V> others)
            throws InterruptedException {
        long giveUp = nanos() + deadlineNanos;
        while (load.background || room.tryTake() || awaitRoom(load, all, giveUp)) {
            String token = all.newToken();
            Claim<V> claim = Claim.unknown();
            Optional<Loaded<V>> loaded = Optional.empty();
            try {
                claim = all.claim(load.key(), token);
                if (claim.maybeOurs()) {
                    loaded = holding(load, all, token, claim);
                }
            } finally {
                giveRoomBack(load);
                if (claim.maybeOurs() && loaded.isEmpty()) {
                    all.release(load.key(), token);
                }
            }
            if (claim.maybeOurs() || !awaitFree(load, all, claim, giveUp, others)) {
                return loaded;
            }
        }
        return Optional.empty();
    }

    /** Waits for room, and looks whether another process brings the value before; false if so, or too late, and the load has ended. */
    private boolean awaitRoom(Load<V> load, Leases<V> all, long giveUp) throws InterruptedException {
        Room.Turn turn = room.queue();
        boolean taken = false;
        try {
            long pause = FIRST_PAUSE_NANOS;
            for (long left = giveUp - nanos(); left > 0; left = giveUp - nanos()) {
                taken = turn.await(Math.min(left, jittered(Math.max(pause, room.waiting() * LOOK_NANOS))));
                if (taken) {
                    return true;
                }
                Claim<V> seen = all.look(load.key());
                if (isEnough(seen.entry(), load)) {
                    load.end(new LoadOutcome.Arrived<>(seen.entry()));
                    return false;
                }
                pause = seen.standing() == Standing.UNKNOWN ? SILENCE_NANOS : Math.min(2 * pause, LONGEST_PAUSE_NANOS);
            }
            load.end(noRoom());
            return false;
        } finally {
            if (!taken) {
                turn.giveUp();
            }
        }
    }

    /** Waits while another process has the lease; false if nothing is to be loaded any more, and the load has ended. */
    private boolean awaitFree(Load<V> load, Leases<V> all, Claim<V> claim, long giveUp, @Nullable WriteBack<V> others)
            throws InterruptedException {
        Claim<V> seen = claim;
        long pause = FIRST_PAUSE_NANOS;
        while (!isEnough(seen.entry(), load)) {
            if (seen.standing() != Standing.ANOTHERS) {
                return true;
            }
            if (load.background || giveUp - nanos() <= 0) {
                load.end(new LoadOutcome.GaveUp<>("load of another process"));
                return false;
            }
            leave(load, others);
            TimeUnit.NANOSECONDS.sleep(shortened(pause, seen.leftMillis()));
            pause = Math.min(2 * pause, LONGEST_PAUSE_NANOS);
            seen = all.look(load.key());
        }
        load.end(new LoadOutcome.Arrived<>(seen.entry()));
        return false;
    }

    /** Until the lease ends at most, and never quite as long as others wait. */
    private long shortened(long pause, long leaseLeftMillis) {
        long jittered = jittered(pause);
        long left = leaseLeftMillis < 0 ? jittered : TimeUnit.MILLISECONDS.toNanos(leaseLeftMillis + 1);
        return Math.min(jittered, left);
    }

    private long jittered(long pause) {
        return pause / 2 + surroundings.random().nextLong(pause / 2);
    }

    /** With a lease that is ours, or may be, and that is to be released if nothing comes of it. */
    private Optional<Loaded<V>> holding(Load<V> load, Leases<V> all, String token, Claim<V> claim)
            throws InterruptedException {
        boolean ours = claim.standing() == Standing.OURS;
        if (isEnough(claim.entry(), load)) {
            load.end(new LoadOutcome.Arrived<>(claim.entry()));
            return Optional.empty();
        }
        if (load.background && !ours) {
            load.end(new LoadOutcome.GaveUp<>("Redis"));
            return Optional.empty();
        }
        Renewal renewal = ours ? Renewal.start(all, load.key(), token) : Renewal.NONE;
        Optional<Draft> draft = Optional.empty();
        try {
            draft = callLoader(load);
        } finally {
            if (draft.isEmpty()) {
                renewal.stop();
            }
        }
        return draft.map(loaded -> new Loaded<>(load, loaded, token, renewal));
    }

    /** Whether there is nothing to load any more. */
    private boolean isEnough(Entry<V> entry, Load<V> load) {
        long now = surroundings.epochMillis().getAsLong();
        boolean old = load.background ? entry.isDue(now) : entry.isStale(now);
        return load.request.isAnsweredBy(entry) && !old;
    }

    private Optional<Draft> callLoader(Load<V> load) throws InterruptedException {
        if (load.isClosed()) {
            throw new InterruptedException("the cache is closed");
        }
        Events.CacheLoad event = new Events.CacheLoad();
        event.begin();
        long begun = nanos();
        @Nullable V value;
        try {
            value = load.request.finder().find(load.key()).orElse(null);
            count(load, event, "");
        } catch (Throwable e) { // an Error of a loader is its callers' too
            count(load, event, e.getClass().getName());
            tally.loadFailures.increment();
            Optional<Draft> kept = load.background ? Optional.empty() : drafts.failure(load.key(), e);
            end(load, new LoadOutcome.Failed<>(e, TimeUnit.NANOSECONDS.toMillis(nanos() - begun), kept.isPresent()));
            return kept;
        }
        end(load, new LoadOutcome.Arrived<>(Entry.loaded(value)));
        return encoded(load, value);
    }

    /** An interrupt that the loader has left behind is not meant for what is done with its value. */
    private void end(Load<V> load, LoadOutcome<V> how) {
        load.end(how);
        if (!load.isClosed()) {
            boolean unused = Thread.interrupted();
        }
    }

    private void count(Load<V> load, Events.CacheLoad event, String failure) {
        tally.loads.increment();
        if (load.background) {
            tally.refreshes.increment();
        }
        if (event.shouldCommit()) {
            event.cache = store.name();
            event.background = load.background;
            event.failure = failure;
            event.commit();
        }
    }

    private Optional<Draft> encoded(Load<V> load, @Nullable V value) {
        String key = load.key();
        try {
            if (value != null) {
                return Optional.of(drafts.value(key, value));
            }
            // Nobody is to be served any more what is being served while this loads.
            return load.background ? Optional.of(drafts.noMore(key)) : drafts.none(key);
        } catch (RuntimeException e) { // the codec's, or the lifetime's: callers have their value all the same
            store.failed("encode", e);
            return Optional.empty();
        }
    }

    private long nanos() {
        return surroundings.nanos().getAsLong();
    }
}
