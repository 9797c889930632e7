// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import io.millrace.client.ClientOptions;
import io.millrace.client.ConnectionStats;
import io.millrace.client.Outcome;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Fusion;
import io.millrace.client.exception.ConnectException;
import io.millrace.client.internal.connect.Connector;
import io.millrace.client.internal.connect.HandshakeResult;
import io.millrace.client.internal.connect.LoginListener;
import io.millrace.client.internal.connect.Reconnector;
import io.millrace.client.internal.fusion.FusibleKinds;
import io.millrace.client.internal.stats.ListenerCalls;
import io.millrace.client.internal.stats.StatsCounter;
import io.millrace.client.internal.stats.StatsRegistry;
import io.millrace.client.internal.time.Timekeeper;
import io.millrace.resp.Reply;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A connection of any number of callers. It uses one {@link Wire} at a time, and replaces a lost wire by a new one.
 *
 * <pre>
 *   callers -> Window -> Sender -> Wire -> Redis
 *                          ^ left over from a lost wire
 * </pre>
 *
 * <p>Holds the state common to all wires: the window, the stats and the timeouts.
 */
public final class SharedConnection
        implements SubmissionTarget, LoginListener, Timekeeper.Ticking, StatsRegistry.StatsSource {

    private final ConnectionContext context;
    private final String name;
    private final ConnectionStats.Kind kind;
    private final ClientOptions options;
    private final Reconnector reconnector;
    private final Window window;
    private final Admission admission;
    private final Sender sender;
    private final RetryQueue retries;
    private final SubmissionTimeouts timeouts;
    private final PrimaryWatch primary;

    /** Whether the user has logged in by a command. Written by the borrower before that command is submitted. */
    private volatile boolean keepsLogin;

    /** Replaced only by {@link #endWarmUp}, before the connection is published, as the listener. */
    private StatsCounter stats = new StatsCounter();

    private @Nullable ListenerCalls listener;

    /**
     * Connects. A SHARED connection replaces a lost wire. A DEDICATED connection ends with its wire, which has state of the user.
     *
     * @throws ConnectException if connecting fails
     */
    public SharedConnection(ConnectionContext context, String name, ConnectionStats.Kind kind, Connector connector) {
        this(context, name, kind, connector.open());
    }

    /** Continues after a handshake. If the handshake is {@linkplain HandshakeResult#none none}, the writer connects. */
    public SharedConnection(ConnectionContext context, String name, ConnectionStats.Kind kind, HandshakeResult first) {
        this.context = context;
        this.name = name;
        this.kind = kind;
        this.options = context.options();
        this.listener = kind == ConnectionStats.Kind.SHARED && first.isConnected() ? null : context.listener();
        Set<Fusion> wanted = kind == ConnectionStats.Kind.SHARED ? options.fusion() : Fusion.NONE;
        this.reconnector = new Reconnector(options, context.login(), wanted, name, context.clockAndRandom());
        boolean takesOver = kind == ConnectionStats.Kind.SHARED && context.inCluster();
        this.window = new Window(options.inFlight(), options.inFlightBytes(), takesOver, clock());
        reconnector.startsWith(first);
        this.sender = new Sender(this, first, reconnector, kind == ConnectionStats.Kind.SHARED);
        this.timeouts = new SubmissionTimeouts(this, window);
        this.admission = new Admission(this, window);
        this.retries = new RetryQueue(this, context.clockAndRandom().random(), sender::addAgain);
        this.primary = kind == ConnectionStats.Kind.SHARED
                ? new PrimaryWatch(reconnector, reconnector.primarySearch(this::address, sender::continueWith))
                : new PrimaryWatch(reconnector, null);
        // Before the writer starts, because the writer unregisters this connection when the writer stops.
        context.timekeeper().watch(this);
        context.login().add(this);
        boolean started = false;
        try {
            sender.start();
            started = true;
        } finally {
            if (!started) {
                ended();
            }
        }
    }

    /** Ends the warm-up, before the connection is published: resets the stats, and sets the listener. */
    void endWarmUp() {
        stats = new StatsCounter();
        listener = context.listener();
    }

    // Submitting.

    @Override
    public void submit(CallerSubmission submission) {
        submission.connection = this;
        submission.notifySubmitted(listener);
        stats.countSubmitted(submission.commands());
        Hops hops = submission.hopsOrNull();
        String obstacle = sender.obstacle();
        if (obstacle != null && (hops == null || !sender.isRetired())) {
            submission.endUnsubmitted(new Outcome.Lost(false, obstacle), stats);
        } else if (obstacle == null && !admission.admit(submission)) {
            admission.refuse(submission);
        } else if (hops == null || (obstacle == null && hops.route().enters(submission, this))) {
            sender.add(submission);
            sender.wire().ensureReaderUnless(submission.waiter());
            wakeTimekeeper();
        } else {
            admission.waitInFence(submission, hops.route());
        }
    }

    /**
     * Queues a submission of another connection, or of this connection, that its route has kept. Any thread; does not wait.
     *
     * @return false if there is no free permit, or if this connection has ended
     */
    public boolean takeOver(CallerSubmission submission) {
        if (sender.obstacle() != null || !admission.takeOver(submission)) {
            return false;
        }
        sender.addAgain(submission);
        sender.wire().ensureReaderUnless(null);
        wakeTimekeeper();
        return true;
    }

    /** The owner of a pipeline: sends the refused commands of a paused batch again. */
    @Override
    public void submitAgain(PipelineBatch batch) {
        if (!retries.take(batch)) {
            return;
        }
        int commands = batch.undecided();
        if (commands == 0 || sender.obstacle() != null || !admission.acquire(batch, commands)) {
            batch.endRefused(stats);
            batch.announce();
            return;
        }
        stats.countRetries(commands);
        sender.addAgain(batch);
        sender.wire().ensureReaderUnless(batch.waiter());
        wakeTimekeeper();
    }

    // Waiting callers.

    /** If the current thread is the lone caller, reads until {@code submission} has ended. */
    void readFor(Submission submission) {
        sender.wire().readFor(submission);
    }

    /** Wakes {@code waiter} if it is reading. */
    void wake(Thread waiter) {
        sender.wire().wake(waiter);
    }

    // Called by the wire.

    boolean hasCommandsInFlight() {
        return window.commandsInFlight() > 0;
    }

    /** Wakes the timekeeper, because this connection must be checked again. */
    void wakeTimekeeper() {
        context.timekeeper().wake();
    }

    ClientOptions options() {
        return options;
    }

    /** Maximum number of submissions that hold permits. */
    int mostSubmissions() {
        return window.mostCommands();
    }

    /** For assertions: returns whether a thread holds the sending role. */
    boolean isRoleTaken() {
        return sender.isRoleTaken();
    }

    LongSupplier clock() {
        return context.clockAndRandom().clock();
    }

    /** Returns the kinds of commands that are fused over {@code handshakeResult}. */
    FusibleKinds fusibleKinds(HandshakeResult handshakeResult) {
        return new FusibleKinds(handshakeResult.fusion(), context.refusedKinds(), name);
    }

    StatsCounter counters() {
        return stats;
    }

    /** Releases permits of the window. Any thread. */
    void release(long cost) {
        window.release(cost);
    }

    /** Any thread: {@code submission} leaves this connection with an outcome. Releases its permits. */
    void leaves(Submission submission) {
        release(submission.cost);
        submission.left();
    }

    /** The submissions that wait for a retry. */
    RetryQueue retries() {
        return retries;
    }

    /** Reader: lets {@code submission} wait for its retry. */
    void retryLater(Submission submission) {
        retries.add(submission);
        wakeTimekeeper();
    }

    /** Any thread: why the server refuses the login; null if it does not. */
    public @Nullable String refusal() {
        return reconnector.refusal();
    }

    /** Any thread: the address that a Sentinel has named; null without Sentinels. */
    public RedisUri.@Nullable Tcp address() {
        return sender.wire().address();
    }

    /** Any thread: a Sentinel has named the primary. Changes to it if the current wire uses another server. */
    public void primaryIsAt(RedisUri.Tcp named) {
        if (isOpen() && !named.equals(address())) {
            primary.moved();
        }
    }

    /** What this connection knows about the role of its server. */
    public PrimaryWatch primary() {
        return primary;
    }

    void push(Reply.Push push) {
        context.pushes().accept(push);
    }

    /** The current wire, which may have ended. */
    Wire wire() {
        return sender.wire();
    }

    ConnectionContext context() {
        return context;
    }

    void wireEnded() {
        sender.wireEnded();
    }

    /** Called when nothing can be sent any more and every submission has its outcome. */
    void ended() {
        retries.loseAll(String.valueOf(sender.obstacle()), sender.isRetired());
        context.timekeeper().forget(this);
        context.login().remove(this);
    }

    /**
     * Returns whether this connection is open and its server replies. Sends a {@code PING} only after silence, and waits
     * for the reply, until {@code deadline} at most. If the thread is interrupted while it waits, returns false.
     */
    public boolean isResponsive(long deadline) {
        return isOpen() && sender.wire().liveness().isResponsive(deadline, sender::add);
    }

    /** Returns whether the next command needs a {@code PING} first. */
    public boolean isSilent() {
        return sender.wire().liveness().isSilent(now());
    }

    void sendHeldBack() {
        sender.sendHeldBack();
    }

    /** Keeps the login that the borrower sets by a command of its own. */
    public void keepLogin() {
        keepsLogin = true;
    }

    /** Returns whether this connection follows the renewed logins of the client. */
    boolean renewsLogin() {
        return !keepsLogin;
    }

    @Override
    public void loginChanged() {
        sender.loginChanged();
    }

    /** Only callers of shared connections wait: a dedicated connection may be blocked on the server for any time. */
    @Override
    public boolean isLoginPending(long version) {
        return kind == ConnectionStats.Kind.SHARED
                && isOpen()
                && sender.wire().login().isPending(version);
    }

    // Called by the timekeeper.

    @Override
    public boolean tick(long now) {
        Wire wire = sender.wire();
        retries.tick(now);
        boolean sending = sender.tick(now);
        if (wire.ensureReaderIfUnused()) {
            return true;
        }
        wire.expire(now);
        return sending || !retries.isEmpty() || !wire.isIdle() || wire.callerMayRead();
    }

    /** Ends overdue submissions. */
    SubmissionTimeouts timeouts() {
        return timeouts;
    }

    @Override
    public long now() {
        return context.now();
    }

    /** Default timeout of a command. */
    long timeoutNanos() {
        return options.commandTimeout().toNanos();
    }

    String name() {
        return name;
    }

    ConnectionStats.Kind kind() {
        return kind;
    }

    @Override
    public ConnectionStats stats() {
        return new ConnectionStats(
                name,
                kind,
                isOpen(),
                stats.counts(),
                window.commandsInFlight(),
                window.bytesInFlight(),
                stats.lateReplies(),
                reconnector.reconnections(),
                stats.retries(),
                stats.fusion(),
                sender.wire().fusionOff());
    }

    public boolean isOpen() {
        return sender.obstacle() == null && sender.wire().isOpen();
    }

    /** Any thread: whether commands are in flight, and nothing was received for {@code nanos}. */
    public boolean isStalled(long nanos) {
        return hasCommandsInFlight() && now() - sender.wire().lastReadNanos() > nanos;
    }

    /** Any thread: whether replies are owed. */
    public boolean owesReplies() {
        return !sender.wire().isIdle();
    }

    /** Returns whether nothing is in flight: no permit is taken, and no reply is owed. */
    public boolean isIdle() {
        return !owesReplies() && retries.isEmpty() && window.commandsInFlight() == 0;
    }

    /** Any thread: the node has left the cluster. Submissions that may be sent again go to other nodes. Does not wait. */
    public void retire(String cause) {
        sender.retire(cause);
    }

    /** Closes the connection; commands without an outcome are lost. Waits until its threads have stopped. */
    public void close() {
        primary.close();
        sender.close();
    }
}
