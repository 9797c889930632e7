// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.stats;

import io.millrace.client.FusionOff;
import io.millrace.client.command.Fusion;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/**
 * Flight Recorder events of a client. The events of batches and fused batches are disabled by default. All other events
 * are rare and enabled by default. No event contains a key, a value or a secret.
 */
public final class FlightRecorderEvents {

    private FlightRecorderEvents() {}

    /**
     * Returns whether a recording was started in this JVM. The methods of this class ask this method before they use an
     * event class. The JVM needs 40 to 100 ms to load the first event class, and most JVMs never record. Without this
     * check, the first full window or the first timeout of a process would stop a caller or the reader for this time.
     */
    public static boolean mayBeRecorded() {
        return FlightRecorder.isInitialized();
    }

    /** Begins an event for one write; returns null if nothing is recorded. */
    public static @Nullable Batch beginBatch() {
        return mayBeRecorded() ? Batch.begun() : null;
    }

    /** One write to a shared or dedicated connection. */
    @Name("io.millrace.Batch")
    @Label("Batch")
    @Description("One write to a connection")
    @Category("Millrace")
    @StackTrace(false)
    @Enabled(false)
    public static final class Batch extends Event {
        @Label("Connection")
        String connection = "";

        @Label("Bytes written")
        @DataAmount
        long bytes;

        @Label("Submissions without a reply")
        long onTheWire;

        private Batch() {}

        private static Batch begun() {
            Batch event = new Batch();
            event.begin();
            return event;
        }

        public void written(String name, long count, long owed) {
            if (shouldCommit()) {
                connection = name;
                bytes = count;
                onTheWire = owed;
                commit();
            }
        }
    }

    /** Begins an event for a caller that waits for a permit; returns null if nothing is recorded. */
    public static @Nullable Stall beginStall() {
        return mayBeRecorded() ? Stall.begun() : null;
    }

    /** A caller waited for a permit of the window. */
    @Name("io.millrace.Stall")
    @Label("Stall")
    @Description("A caller waited because the limit of commands or bytes in flight was reached")
    @Category("Millrace")
    @StackTrace(false)
    @Threshold("10 ms")
    public static final class Stall extends Event {
        @Label("Connection")
        String connection = "";

        private Stall() {}

        private static Stall begun() {
            Stall event = new Stall();
            event.begin();
            return event;
        }

        public void ended(String name) {
            connection = name;
            commit();
        }
    }

    /** Records that {@code commands} commands were refused. */
    public static void reportRefusal(String connection, int commands) {
        if (mayBeRecorded()) {
            Refusal.record(connection, commands);
        }
    }

    /** A submission was refused. */
    @Name("io.millrace.Refusal")
    @Label("Refusal")
    @Description("Commands were refused because the limit of commands or bytes in flight was reached")
    @Category("Millrace")
    @StackTrace(false)
    static final class Refusal extends Event {
        @Label("Connection")
        String connection = "";

        @Label("Commands")
        int commands;

        private static void record(String connection, int commands) {
            Refusal event = new Refusal();
            event.connection = connection;
            event.commands = commands;
            event.commit();
        }
    }

    /** Records that {@code commands} commands were fused into one command. */
    public static void reportFusedBatch(String connection, Fusion kind, int commands, int bytes) {
        if (mayBeRecorded()) {
            FusedBatchEvent.record(connection, kind, commands, bytes);
        }
    }

    /** Several commands were fused into one command. */
    @Name("io.millrace.FusedBatch")
    @Label("Fused batch")
    @Description("Several adjacent commands were fused into one command")
    @Category("Millrace")
    @StackTrace(false)
    @Enabled(false)
    static final class FusedBatchEvent extends Event {
        @Label("Connection")
        String connection = "";

        @Label("Kind of fusion")
        String kind = "";

        @Label("Commands")
        int commands;

        @Label("Bytes")
        @DataAmount
        int bytes;

        private static void record(String connection, Fusion kind, int commands, int bytes) {
            FusedBatchEvent event = new FusedBatchEvent();
            if (event.shouldCommit()) {
                event.connection = connection;
                event.kind = kind.name();
                event.commands = commands;
                event.bytes = bytes;
                event.commit();
            }
        }
    }

    /** Records that {@code connection} does not use a requested kind of fusion. */
    public static void reportFusionOff(String connection, FusionOff off) {
        if (mayBeRecorded()) {
            FusionOffEvent.record(connection, off);
        }
    }

    /** A connection does not use a requested kind of fusion. */
    @Name("io.millrace.FusionOff")
    @Label("Fusion off")
    @Description("A connection does not use a requested kind of fusion")
    @Category("Millrace")
    @StackTrace(false)
    static final class FusionOffEvent extends Event {
        @Label("Connection")
        String connection = "";

        @Label("Kind of fusion")
        String kind = "";

        @Label("Reason")
        String reason = "";

        @Label("Message")
        @Description("Details, such as the error reply of the server")
        String message = "";

        private static void record(String connection, FusionOff off) {
            FusionOffEvent event = new FusionOffEvent();
            if (event.shouldCommit()) {
                event.connection = connection;
                event.kind = off.kind().name();
                event.reason = off.reason().name();
                event.message = off.message();
                event.commit();
            }
        }
    }

    /** Begins an event for a lost connection; returns null if nothing is recorded. */
    public static @Nullable Reconnect beginReconnect() {
        return mayBeRecorded() ? Reconnect.begun() : null;
    }

    /**
     * Records that a lost connection was replaced, or that there are no more attempts.
     *
     * @param begun the result of {@link #beginReconnect}. If null, the recording was started after the loss, and the
     *     event has no duration.
     */
    public static void endReconnect(
            @Nullable Reconnect begun, String connection, String cause, int attempts, boolean replaced) {
        if (mayBeRecorded()) {
            Reconnect.record(begun, connection, cause, attempts, replaced);
        }
    }

    /** A connection was lost; the event lasts until the connection is replaced. */
    @Name("io.millrace.Reconnect")
    @Label("Reconnect")
    @Description("A connection was lost. It was replaced, unless the client was closed or the login was refused")
    @Category("Millrace")
    @StackTrace(false)
    public static final class Reconnect extends Event {
        @Label("Connection")
        String connection = "";

        @Label("Cause of the loss")
        String cause = "";

        @Label("Connection attempts")
        int attempts;

        @Label("Connection was replaced")
        boolean replaced;

        private Reconnect() {}

        private static Reconnect begun() {
            Reconnect event = new Reconnect();
            event.begin();
            return event;
        }

        private static void record(
                @Nullable Reconnect begun, String connection, String cause, int attempts, boolean replaced) {
            Reconnect event = begun == null ? new Reconnect() : begun;
            event.connection = connection;
            event.cause = cause;
            event.attempts = attempts;
            event.replaced = replaced;
            event.commit();
        }
    }

    /**
     * Returns whether timeout events may be recorded now. If not, the caller need not determine the state of the
     * connection.
     */
    public static boolean timeoutsMayBeRecorded() {
        return mayBeRecorded() && Timeout.isRecorded();
    }

    /** Records the timeout of {@code commands} commands named {@code command}. */
    public static void reportTimeout(ConnectionState state, String command, int commands) {
        if (mayBeRecorded()) {
            Timeout.record(state, command, commands);
        }
    }

    /** A command got no reply, or no permit of the window, before its deadline. */
    @Name("io.millrace.Timeout")
    @Label("Timeout")
    @Description("A command received no reply, or no permit, before its deadline")
    @Category("Millrace")
    @StackTrace(false)
    static final class Timeout extends Event {
        @Label("Connection")
        String connection = "";

        @Label("Endpoint")
        String endpoint = "";

        @Label("Command")
        String command = "";

        @Label("Commands")
        @Description("Number of commands that timed out: more than one if a fused command timed out")
        int commands;

        @Label("Phase")
        @Description("Progress of the command: waiting for a permit, not connected, queued or sent")
        String phase = "";

        @Label("Commands in flight")
        int inFlight;

        @Label("Maximum number of commands in flight")
        int limit;

        @Label("Bytes in flight")
        @DataAmount
        long bytesInFlight;

        @Label("Bytes unsent")
        @DataAmount
        long unsent;

        @Label("Callers waiting for a permit")
        int waiting;

        @Label("Time since the last bytes were read")
        @Timespan
        long lastReadAgo;

        private static boolean isRecorded() {
            return new Timeout().shouldCommit();
        }

        private static void record(ConnectionState state, String command, int commands) {
            Timeout event = new Timeout();
            if (event.shouldCommit()) {
                event.connection = state.connection();
                event.endpoint = state.endpoint();
                event.command = command;
                event.commands = commands;
                event.phase = state.phase();
                event.inFlight = state.inFlight();
                event.limit = state.limit();
                event.bytesInFlight = state.bytesInFlight();
                event.unsent = state.unsent();
                event.waiting = state.waiting();
                event.lastReadAgo = state.lastReadAgoNanos();
                event.commit();
            }
        }
    }

    /** Records a reply that arrived {@code afterDeadline} nanoseconds after the deadline of its command. */
    public static void reportLateReply(String connection, long afterDeadline) {
        if (mayBeRecorded()) {
            LateReply.record(connection, afterDeadline);
        }
    }

    /** A reply arrived for a command that already had an outcome. */
    @Name("io.millrace.LateReply")
    @Label("Late reply")
    @Description("A reply arrived after its command had timed out")
    @Category("Millrace")
    @StackTrace(false)
    static final class LateReply extends Event {
        @Label("Connection")
        String connection = "";

        @Label("Time from the deadline to the reply")
        @Timespan
        long afterDeadline;

        private static void record(String connection, long afterDeadline) {
            LateReply event = new LateReply();
            event.connection = connection;
            event.afterDeadline = afterDeadline;
            event.commit();
        }
    }
}
