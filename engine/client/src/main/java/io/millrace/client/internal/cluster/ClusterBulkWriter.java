// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.cluster;

import io.millrace.client.BulkListener;
import io.millrace.client.BulkOptions;
import io.millrace.client.BulkWriter;
import io.millrace.client.CommandCounts;
import io.millrace.client.FusionCounts;
import io.millrace.client.NodeCounts;
import io.millrace.client.Outcome;
import io.millrace.client.command.CommandSpec;
import io.millrace.client.command.Server;
import io.millrace.client.exception.ConnectException;
import io.millrace.client.internal.bulk.BulkConnection;
import io.millrace.client.internal.slot.HashSlot;
import io.millrace.client.internal.stats.StatsRegistry;
import io.millrace.resp.Reply;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A bulk writer over the nodes of a cluster. One thread, the owner, uses the connections of all nodes.
 *
 * <p>DESIGN. A command is encoded into a buffer, because its node is known only after its last argument. It is then recorded and
 * forwarded to the {@link BulkConnection} of the node, with its record as the tag. The connections report outcomes on the
 * thread of the owner, inside their methods. A redirect is not an outcome: the command was not executed, so it is sent
 * again from its record. The listener receives final outcomes only.
 *
 * <pre>
 *   end -> record -> connection of the owner of the slot -> final outcome -> listener
 *            |                                           -> MOVED, ASK, TRYAGAIN --+
 *            +-> fence of the slot: commands            fence: redirected <--------+
 *   when no command of the slot is on a connection, the redirected commands are sent again in their order, and then the
 *   commands behind them
 * </pre>
 *
 * <p>All commands of a slot that are on connections are on the same connection. If the owner of a slot changes meanwhile,
 * a fence keeps the next commands of the slot until the earlier ones are answered. So the commands of a slot are executed
 * in their order, as long as the slot does not move back.
 *
 * <p>If a connection is lost, its commands are lost. The commands on other connections get their outcomes as usual. Then
 * the writer is closed: a command in a fence, and each new command, is lost without being sent.
 */
final class ClusterBulkWriter implements BulkWriter, SlotFences.Commands {

    /** While there are fences, the connections are asked for outcomes in this interval. */
    private static final long FENCE_CHECK_NANOS = TimeUnit.MICROSECONDS.toNanos(500);

    /** The owner collects the outcomes of all connections after this number of commands. */
    private static final int COLLECT_COMMANDS = 4_096;

    /** Longest wait for one connection while other connections have commands, too. */
    private static final long WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** Longest wait for one connection, or for the topology, while there are fences. */
    private static final long FENCE_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Topology topology;
    private final BulkOptions options;
    private final LongSupplier clock;
    private final BulkNodes nodes;
    private final SlotFences fences;
    private final BulkRedirects redirects;
    private final FinalOutcomes outcomes;

    /** Time that the owner has waited for room in fences. Written by the owner. */
    private final AtomicLong waitNanos = new AtomicLong();

    /** Set by any thread; never reset. */
    private volatile boolean aborted;

    /** Why this writer sends no more commands; null while it works. Written by the owner. */
    private volatile @Nullable String failure;

    // Used only by the owner.

    private final BufferedCommand buffered = new BufferedCommand(Server.PING);
    private final CommandRecords records = new CommandRecords();
    private @Nullable CommandSpec<?> command;
    private int sinceCollect;
    private long lastFenceCheck;

    /**
     * Opens a connection to each primary.
     *
     * @throws ConnectException if a primary cannot be reached
     */
    ClusterBulkWriter(
            Topology topology,
            LongSupplier clock,
            StatsRegistry statsRegistry,
            BulkOptions options,
            BulkListener listener,
            long connectNanos) {
        this.topology = topology;
        this.options = options;
        this.clock = clock;
        this.outcomes = new FinalOutcomes(listener, statsRegistry);
        this.nodes = new BulkNodes(topology, options, outcomes, this::ended);
        RefusedMembers<Integer> refusedMembers = new RefusedMembers<>(records::keys);
        this.fences = new SlotFences(records, nodes, clock, refusedMembers, this);
        this.redirects = new BulkRedirects(records, nodes, fences, refusedMembers);
        boolean opened = false;
        try {
            nodes.openAll(clock.getAsLong() + connectNanos);
            opened = true;
        } finally {
            if (!opened) {
                nodes.all().forEach(nodes::close);
            }
        }
    }

    // Commands, called by the owner.

    @Override
    public BulkWriter begin(CommandSpec<?> newCommand) {
        outcomes.checkNotInListener();
        command = newCommand;
        buffered.begin(newCommand);
        return this;
    }

    @Override
    public BulkWriter arg(byte[] bytes, int offset, int length) {
        buffered.arg(bytes, offset, length);
        return this;
    }

    @Override
    public BulkWriter arg(String text) {
        buffered.arg(text);
        return this;
    }

    @Override
    public BulkWriter arg(long number) {
        buffered.arg(number);
        return this;
    }

    @Override
    public void end(long tag) {
        CommandSpec<?> ended = command;
        if (ended == null) {
            throw new IllegalStateException("end() was called without begin()");
        }
        command = null;
        buffered.end();
        int slot = buffered.hashSlot();
        outcomes.countSubmitted();
        long now = clock.getAsLong();
        submit(ended, tag, slot, now, now + options.timeout().toNanos());
        if (++sinceCollect >= COLLECT_COMMANDS) {
            collect();
        }
        outcomes.rethrow();
    }

    /** Forwards the buffered command, or keeps it behind a fence. Waits while the fences keep too many commands. */
    private void submit(CommandSpec<?> spec, long tag, int slot, long start, long deadline) {
        if (fences.any() && start - lastFenceCheck >= FENCE_CHECK_NANOS) {
            nodes.flush();
            collect();
        }
        long now = start;
        while (true) {
            BulkNodes.BulkNode node = failure == null && !aborted ? nodeFor(slot) : null;
            String cause = failureNow();
            if (node != null && cause == null) {
                forward(records.add(spec, tag, slot, deadline, buffered, node.chain), node);
                return;
            }
            if (fences.haveRoom(options) && (cause == null || fences.isBusy(slot))) {
                // After a loss, the fence reports the command behind the earlier commands of its slot.
                fences.add(records.add(spec, tag, slot, deadline, buffered, fences.chain()));
                return;
            }
            if (cause != null) {
                outcomes.reportUnsent(tag, spec, new Outcome.Lost(false, cause));
                return;
            }
            if (now - deadline >= 0 || Thread.currentThread().isInterrupted()) {
                outcomes.reportUnsent(tag, spec, new Outcome.Refused());
                return;
            }
            await(FENCE_WAIT_NANOS);
            long before = now;
            now = clock.getAsLong();
            waitNanos.lazySet(waitNanos.getPlain() + now - before);
        }
    }

    /** The node to which the next command of {@code slot} may be sent now; null if the command must wait. */
    private BulkNodes.@Nullable BulkNode nodeFor(int slot) {
        if (fences.has(slot)) {
            return null;
        }
        try {
            BulkNodes.BulkNode node = nodes.ownerOf(slot);
            return node != null && fences.admit(slot, node) ? node : null;
        } catch (ConnectException e) {
            fail(String.valueOf(e.getMessage()));
            return null;
        }
    }

    private void forward(int record, BulkNodes.BulkNode node) {
        fences.entered(records.slot(record), node);
        node.connection().submit(records.spec(record), buffered.bytes(), 0, buffered.length(), record);
    }

    @Override
    public void resend(int record, BulkNodes.BulkNode node, boolean asks) {
        fences.entered(records.slot(record), node);
        node.connection()
                .resend()
                .submit(
                        records.spec(record),
                        records.array(record),
                        records.start(record),
                        records.length(record),
                        asks,
                        records.deadline(record),
                        record);
    }

    /** Receives the outcome of a command on a connection. */
    private void ended(BulkNodes.BulkNode node, long tag, CommandSpec<?> spec, Outcome outcome) {
        int record = (int) tag;
        fences.left(records.slot(record), node);
        if (outcome instanceof Outcome.Failed failed) {
            failed(node, record, failed);
            return;
        }
        if (outcome instanceof Outcome.Lost lost) {
            fail(lost.cause());
        }
        end(node, record, outcome);
    }

    private void failed(BulkNodes.BulkNode node, int record, Outcome.Failed failed) {
        Reply.ErrorReply error = failed.error();
        if (redirects.follow(node, record, error)) {
            node.connection().resend().countRedirected();
            fences.redirected(record);
            return;
        }
        if (error.code().equals("CLUSTERDOWN") || error.code().equals("MASTERDOWN")) {
            topology.requestRefresh();
        }
        end(node, record, failed);
    }

    private void end(BulkNodes.BulkNode node, int record, Outcome outcome) {
        redirects.ended(record, outcome);
        CommandSpec<?> spec = records.spec(record);
        long tag = records.tag(record);
        records.remove(record);
        outcomes.report(node.listener, tag, spec, outcome);
    }

    @Override
    public void endUnsent(int record, Outcome outcome) {
        CommandSpec<?> spec = records.spec(record);
        long tag = records.tag(record);
        records.remove(record);
        outcomes.reportUnsent(tag, spec, outcome);
    }

    @Override
    public Outcome withoutNode(int slot) {
        return new Outcome.Lost(
                false, slot == HashSlot.COUNT ? topology.obstacleWithoutKeys() : topology.obstacle(slot));
    }

    private void fail(String cause) {
        if (failure == null) {
            failure = cause;
            topology.requestRefresh();
        }
    }

    private @Nullable String failureNow() {
        if (aborted && failure == null) {
            fail("aborted by this client");
        }
        return failure;
    }

    private void collect() {
        sinceCollect = 0;
        nodes.collect();
        if (fences.any()) {
            checkFences();
        }
    }

    /** Sends the commands of fences whose earlier commands are answered. */
    private void checkFences() {
        lastFenceCheck = clock.getAsLong();
        String cause = failureNow();
        if (cause != null) {
            fences.loseAnswered(new Outcome.Lost(false, cause));
            return;
        }
        try {
            fences.advance();
        } catch (ConnectException e) {
            fail(String.valueOf(e.getMessage()));
        }
    }

    /** Waits for outcomes, for {@code nanos} at most, and sends what the outcomes allow. */
    private void await(long nanos) {
        nodes.flush();
        BulkNodes.BulkNode node = fences.mostAwaited();
        if (node == null) {
            LockSupport.parkNanos(this, nanos);
        } else {
            node.connection().resend().await(nanos);
        }
        collect();
    }

    @Override
    public void flush() {
        outcomes.checkNotInListener();
        nodes.flush();
        collect();
        outcomes.rethrow();
    }

    @Override
    public void finish() {
        outcomes.checkNotInListener();
        nodes.flush();
        collect();
        boolean interrupted = false;
        while (records.count() > 0 || nodes.awaitMarks()) {
            await(fences.any() || records.count() == 0 ? FENCE_WAIT_NANOS : WAIT_NANOS);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        outcomes.rethrow();
    }

    @Override
    public boolean isOpen() {
        return failure == null && !aborted;
    }

    @Override
    public void abort() {
        aborted = true;
        nodes.abort();
    }

    @Override
    public void close() {
        outcomes.checkNotInListener();
        if (failure == null) {
            failure = "closed by this client";
        }
        Outcome lost = new Outcome.Lost(false, String.valueOf(failure));
        nodes.all().forEach(nodes::close);
        fences.loseAnswered(lost);
        outcomes.rethrow();
    }

    // Stats, called by any thread.

    @Override
    public CommandCounts counts() {
        return outcomes.counts();
    }

    @Override
    public List<NodeCounts> nodes() {
        return nodes.counts();
    }

    @Override
    public FusionCounts fusion() {
        return nodes.fusion();
    }

    @Override
    public Traffic traffic() {
        Traffic sum = nodes.traffic();
        return new Traffic(sum.bytesSent(), sum.peakInFlight(), sum.windowNanos() + waitNanos.get(), sum.socketNanos());
    }
}
