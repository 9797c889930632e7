// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;
import jdk.jfr.Timespan;

/**
 * What Flight Recorder may record of a client. All but the batches and fused runs are rare, and on by default; none carries a key, a value or
 * a secret.
 */
final class Events {

    private Events() {}

    /** One write to a shared or dedicated connection. */
    @Name("io.millrace.Batch")
    @Label("Batch")
    @Description("One write to a connection")
    @Category("Millrace")
    @StackTrace(false)
    @Enabled(false)
    static final class Batch extends Event {
        @Label("Connection")
        String connection = "";

        @Label("Bytes taken")
        @DataAmount
        long bytes;

        @Label("Submissions without a reply")
        long onTheWire;
    }

    /** A caller waited for a place in the window. */
    @Name("io.millrace.Stall")
    @Label("Stall")
    @Description("A caller waited because the limit of what may be in flight was reached")
    @Category("Millrace")
    @StackTrace(false)
    @Threshold("10 ms")
    static final class Stall extends Event {
        @Label("Connection")
        String connection = "";
    }

    /** A submission was refused. */
    @Name("io.millrace.Refusal")
    @Label("Refusal")
    @Description("Commands were not sent because the limit of what may be in flight was reached")
    @Category("Millrace")
    @StackTrace(false)
    static final class Refusal extends Event {
        @Label("Connection")
        String connection = "";

        @Label("Commands")
        int commands;
    }

    /** Several commands went out as one. */
    @Name("io.millrace.FusedRun")
    @Label("Fused run")
    @Description("Adjacent commands went out as a single one")
    @Category("Millrace")
    @StackTrace(false)
    @Enabled(false)
    static final class FusedRun extends Event {
        @Label("Connection")
        String connection = "";

        @Label("Kind")
        String kind = "";

        @Label("Commands")
        int commands;

        @Label("Bytes")
        @DataAmount
        int bytes;

        static void report(String name, Fused fused, int bytes) {
            FusedRun event = new FusedRun();
            if (event.shouldCommit()) {
                event.connection = name;
                event.kind = fused.kind().name();
                event.commands = fused.commands();
                event.bytes = bytes;
                event.commit();
            }
        }
    }

    /** A connection was lost; lasts until it is replaced. */
    @Name("io.millrace.Reconnect")
    @Label("Reconnect")
    @Description("A connection was lost and, unless the client was closed meanwhile, replaced")
    @Category("Millrace")
    @StackTrace(false)
    static final class Reconnect extends Event {
        @Label("Connection")
        String connection = "";

        @Label("Cause")
        String cause = "";

        @Label("Attempts")
        int attempts;

        @Label("Replaced")
        boolean replaced;
    }

    /** A reply came for a command whose outcome had been decided. */
    @Name("io.millrace.LateReply")
    @Label("Late reply")
    @Description("A reply came after its command had timed out")
    @Category("Millrace")
    @StackTrace(false)
    static final class LateReply extends Event {
        @Label("Connection")
        String connection = "";

        @Label("After the deadline")
        @Timespan
        long afterDeadline;
    }
}
