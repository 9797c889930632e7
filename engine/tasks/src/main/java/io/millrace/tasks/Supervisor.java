// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/*
 * DESIGN
 *
 *     source --> feed --\                      /--> worker --> outlet, source.settled, listener
 *     source --> feed ---+--> backlog ---------+---> worker
 *     source --> feed --/      (bounded)        \--> worker
 *                       supervisor: deadlines, stop, end, report
 *
 * A feed for each source, a worker for each consumer, and one supervisor, each a thread. Feeds and workers only ever tell the
 * supervisor that something has happened, by a volatile field, a count and an unpark; it alone decides what follows, one thing after the
 * other. So there is no order of events to be feared:
 *
 *     all feeds have ended                  the backlog is closed: workers take what is left and end
 *     all workers have ended too            what is left over is cancelled, sources are closed, the report is made
 *     somebody asks for a stop (the first one's reason counts)
 *         sources are interrupted; to drain: the rest goes its natural way;
 *         to drop: the backlog is dropped, and workers at work are interrupted
 *     a task is late                        its worker is interrupted (see Worker)
 *     a thread has not ended after grace    it is abandoned, its tasks are settled here, a worker is replaced
 *
 * Whoever has a task in hand in the end settles it, see FlowAccount.
 */

/** Runs a flow: starts its threads, watches them, ends them, and says what became of every task. */
final class Supervisor<T> implements Runnable {

    /** Whose thread this is: it cannot wait for that flow's end. */
    private static final ThreadLocal<Supervisor<?>> OWN = new ThreadLocal<>();

    /**
     * Why a flow is to stop.
     *
     * @param cause null if nothing went wrong
     */
    private record Stop(Ending ending, @Nullable Throwable cause) {}

    /** How often workers are looked at while the flow is dropped: one that was just about to begin may not be seen at first. */
    private static final long LOOK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /**
     * What a flow has come to.
     *
     * @param cause why it did not come to its natural end; null if nothing went wrong
     */
    private record Result<T>(FlowReport<T> report, @Nullable Throwable cause) {}

    private final Settings settings;
    private final Backlog<T> backlog;
    private final Outlet<T> outlet;
    private final FlowAccount<T> account;
    private final @Nullable Pace pace;

    /** Makes the thread of a source. */
    interface Feeds<T> {
        Feed<T> feed(Supervisor<T> flow, Source<T> source, int number);
    }

    private final List<Source<T>> sources;
    private final Feeds<T> makesFeeds;

    /** Of the supervisor's thread: one for each source, if all could be made. */
    private final List<Feed<T>> feeds = new ArrayList<>();

    private final Workers<T> workers;
    private final Thread thread;
    private final long startedAt = System.nanoTime();

    /** Of those that have not ended; each counts itself down. */
    private final AtomicInteger feedsLeft = new AtomicInteger();

    /** How often somebody has told something. */
    private final AtomicInteger events = new AtomicInteger();

    /** The first reason; set by anybody, once. */
    private final AtomicReference<@Nullable Stop> stop = new AtomicReference<>();

    /** Set by anybody, never reset. */
    private volatile boolean dropping;

    /** Of the supervisor's thread. */
    private final Tally tally;

    private final Events.Flow event = new Events.Flow();
    private boolean stopped;
    private boolean closed;
    private boolean dropped;
    private long droppedAt;
    private long stoppedAt;
    private int abandoned;

    /** One of both is set by the supervisor's thread before it ends. */
    private volatile @Nullable Result<T> result;

    private volatile @Nullable Throwable crash;

    Supervisor(
            Settings settings,
            Backlog<T> backlog,
            Outlet<T> outlet,
            Job<T> job,
            OutcomeListener<? super T> listener,
            List<Source<T>> sources,
            Feeds<T> makesFeeds) {
        this.settings = settings;
        this.backlog = backlog;
        this.outlet = outlet;
        this.sources = sources;
        this.makesFeeds = makesFeeds;
        this.account = new FlowAccount<>(settings, outlet, listener, this::stop);
        this.tally = account.newTally();
        this.workers = new Workers<>(this, settings, job);
        this.pace = settings.hasNoRate() ? null : new Pace(settings.rate());
        // Of the platform: virtual consumers that compute may keep every carrier for themselves.
        this.thread = Thread.ofPlatform()
                .daemon()
                .name("millrace-" + settings.name() + "-supervisor")
                .unstarted(this);
    }

    /** Starts the flow. Called once. */
    void start() {
        thread.start();
    }

    @Override
    public void run() {
        own();
        event.begin();
        try {
            startThreads();
            supervise(); // also if not all could be started: those that were have to end
            result = conclude();
        } catch (Throwable e) {
            crash = e;
            stop(Ending.SOURCE_FAILED, e, OnStop.DROP);
            feeds.forEach(Feed::interrupt);
        }
    }

    private void startThreads() {
        try {
            workers.start();
            for (Source<T> source : sources) {
                Feed<T> feed = makesFeeds.feed(this, source, feeds.size());
                feed.start();
                feedsLeft.incrementAndGet(); // it may have ended before: the sum is looked at afterwards
                feeds.add(feed);
            }
        } catch (Throwable e) {
            account.fault(e, OnStop.DROP);
        }
    }

    private void supervise() {
        // What has happened is counted before it is looked at, and again before parking.
        for (int seen = events.get(); feedsLeft.get() > 0 || workers.left() > 0; seen = events.get()) {
            actOnStop();
            if (!closed && feedsLeft.get() == 0) {
                closed = true;
                backlog.close();
            }
            long wait = watch(System.nanoTime());
            if (events.get() == seen) { // a lock above may have swallowed the permit of what has happened meanwhile
                park(wait);
            }
        }
    }

    private void park(long nanos) {
        if (nanos == Worker.NEVER) {
            LockSupport.park(this);
        } else {
            LockSupport.parkNanos(this, nanos);
        }
        var unused = Thread.interrupted(); // by nobody of the flow; it would keep this thread from ever parking again
    }

    /** Called after whatever the supervisor is to see. */
    private void tell() {
        events.incrementAndGet();
        LockSupport.unpark(thread);
    }

    private void actOnStop() {
        if (isStopping() && !stopped) {
            stopped = true;
            stoppedAt = System.nanoTime();
            feeds.forEach(Feed::interrupt);
        }
        if (dropping && !dropped) {
            dropped = true;
            droppedAt = System.nanoTime();
        }
    }

    /** Looks at deadlines and at those who were interrupted; says in how many nanoseconds to look again. */
    private long watch(long now) {
        long next = dropping ? LOOK_AGAIN_NANOS : Worker.NEVER;
        if (dropping || settings.deadlineNanos() != Worker.NEVER) {
            next = Math.min(next, workers.look(now, dropped && now - droppedAt >= settings.graceNanos()));
        }
        return Math.min(next, watchFeeds(now));
    }

    private long watchFeeds(long now) {
        if (!stopped || feedsLeft.get() == 0) {
            return Worker.NEVER;
        }
        long left = settings.graceNanos() - (now - stoppedAt);
        if (left > 0) {
            return left;
        }
        feeds.stream().filter(Feed::abandon).forEach(this::feedAbandoned);
        return LOOK_AGAIN_NANOS; // one may be just about to call its source
    }

    private void feedAbandoned(Feed<T> feed) {
        feedsLeft.decrementAndGet();
        abandoned(feed.thread());
        tell();
    }

    /** Gave up on a thread; called on the supervisor's. */
    void abandoned(Thread which) {
        abandoned++;
        var lost = new Events.AbandonedThread();
        lost.flow = settings.name();
        lost.abandoned = which.getName();
        lost.commit();
    }

    /** Everybody has ended: settles what is left, closes the sources, and makes the report. */
    private Result<T> conclude() throws InterruptedException {
        List<Entry<T>> left = new ArrayList<>(workers.awaitAndEmptyHands());
        for (Feed<T> feed : feeds) {
            if (!feed.isAbandoned()) {
                feed.thread().join();
            }
        }
        left.addAll(backlog.leftOver());
        if (!left.isEmpty() && !isStopping()) {
            String why = "tasks wait for one of their key that cannot be found: tasks=" + left.size()
                    + ". Use keys that do not change";
            account.fault(new IllegalStateException(why), OnStop.DROP);
        }
        new Closing<>(this, tally, left, sources).run();
        outlet.close();
        return reported();
    }

    private Result<T> reported() {
        Stop why = stop.get();
        if (why == null && dropping) {
            why = new Stop(Ending.SOURCE_FAILED, new IllegalStateException("there was no memory to note why"));
        }
        FlowReport<T> report = account.close(
                why == null ? Ending.COMPLETED : why.ending(),
                abandoned,
                Duration.ofNanos(System.nanoTime() - startedAt));
        event.tell(report);
        return new Result<>(report, why == null ? null : why.cause());
    }

    // What feeds, workers and users tell.

    Settings settings() {
        return settings;
    }

    FlowAccount<T> account() {
        return account;
    }

    Backlog<T> backlog() {
        return backlog;
    }

    boolean isStopping() {
        return dropping || stop.get() != null;
    }

    boolean isDropping() {
        return dropping;
    }

    /** Says that the calling thread is one of the flow's. */
    void own() {
        OWN.set(this);
    }

    void feedEnded() {
        feedsLeft.decrementAndGet();
        tell();
    }

    void workerEnded() {
        workers.ended();
        tell();
    }

    void abandonedWorkerEnded() {
        workers.abandonedEnded();
    }

    /** Asks for the end, for this reason if there is none yet. */
    void stop(Ending ending, @Nullable Throwable cause, OnStop how) {
        try {
            stop.compareAndSet(null, new Stop(ending, cause));
        } finally { // also if there is no memory to say why
            if (how == OnStop.DROP) {
                dropping = true;
                backlog.drop();
                outlet.close(); // at once: who settles what is left must not wait for it
            }
            tell();
        }
    }

    void awaitPace(int tasks) throws InterruptedException {
        if (pace != null) {
            long wait = pace.reserve(tasks, System.nanoTime() - startedAt);
            try {
                Thread.sleep(Duration.ofNanos(Math.max(0, wait)));
            } catch (InterruptedException e) {
                pace.giveBack(tasks);
                throw e;
            }
        }
    }

    boolean isEnded() {
        return !thread.isAlive();
    }

    /**
     * Waits for the end.
     *
     * @throws IllegalStateException if this is a thread of the flow, which cannot end while it waits
     */
    void join() throws InterruptedException {
        if (OWN.get() == this) {
            throw new IllegalStateException(
                    "a flow's own thread waits for its end: name=" + settings.name() + ". Call cancel() there");
        }
        thread.join();
    }

    /** Waits for the end, no longer than {@code most}; whether it has come. */
    boolean join(Duration most) throws InterruptedException {
        return thread.join(most);
    }

    /**
     * The report of a flow that has ended.
     *
     * @throws FlowException if it did not come to its natural end, and nobody asked it to stop
     */
    FlowReport<T> result() {
        Result<T> made = result;
        if (made == null) {
            throw new IllegalStateException("flow broke: name=" + settings.name(), crash);
        }
        Ending ending = made.report().ending();
        if (ending != Ending.COMPLETED && ending != Ending.CANCELLED) {
            throw new FlowException(made.report(), made.cause());
        }
        return made.report();
    }
}
