// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

/** The ended commands of one name: their numbers by kind, and their latencies. Immutable. */
public final class CommandLatencies {

    static final CommandLatencies NONE = of(new LatencyRecorder());

    private final long[] kinds;
    private final LatencyHistogram fromSubmission;
    private final LatencyHistogram fromSending;

    private CommandLatencies(long[] kinds, LatencyHistogram fromSubmission, LatencyHistogram fromSending) {
        this.kinds = kinds;
        this.fromSubmission = fromSubmission;
        this.fromSending = fromSending;
    }

    static CommandLatencies of(LatencyRecorder recorder) {
        return new CommandLatencies(
                recorder.kinds(),
                new LatencyHistogram(recorder.bucketsFromSubmission(), recorder.nanosFromSubmission()),
                new LatencyHistogram(recorder.bucketsFromSending(), recorder.nanosFromSending()));
    }

    /** Number of commands that ended in this way. */
    public long count(EndedCommand.Kind kind) {
        return kinds[LatencyRecorder.index(kind)];
    }

    /** Latencies of all commands, from their submission to their end. */
    public LatencyHistogram fromSubmission() {
        return fromSubmission;
    }

    /**
     * Latencies from the sending of a command to its end; only of commands that were sent. The difference to {@link
     * #fromSubmission} is the wait for a permit, for a connection and for the sender.
     */
    public LatencyHistogram fromSending() {
        return fromSending;
    }

    CommandLatencies since(CommandLatencies earlier) {
        long[] difference = kinds.clone();
        for (int i = 0; i < difference.length; i++) {
            difference[i] -= earlier.kinds[i];
        }
        return new CommandLatencies(
                difference, fromSubmission.since(earlier.fromSubmission), fromSending.since(earlier.fromSending));
    }

    @Override
    public String toString() {
        return "from submission: " + fromSubmission + "; from sending: " + fromSending;
    }
}
