// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.server.CpuTime;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * One round of one contender.
 *
 * @param fork number of the process, from 1
 * @param round number of the round in this process, from 1; 0 and below are warm-ups, which are not counted
 * @param operations operations that succeeded, of all units together
 * @param units units of work, 1 or more
 * @param wallSeconds duration of the measured part
 * @param client CPU time of the contender
 * @param server CPU time of the server; empty without a server
 * @param memory heap and garbage collection of the contender; empty for a process that is no JVM of the lab
 * @param details facts that the contender reports
 * @param seconds the events of each second; empty if the work reports no seconds
 * @param complaints faults of the round: from the contender, and from the check of the server; empty if
 *     there is none
 */
public record Sample(
        int fork,
        int round,
        long operations,
        int units,
        double wallSeconds,
        CpuTime client,
        Optional<CpuTime> server,
        Optional<MemoryUse> memory,
        RoundDetails details,
        List<ProgressEvent.Second> seconds,
        List<String> complaints) {

    public Sample {
        seconds = List.copyOf(seconds);
        complaints = List.copyOf(complaints);
    }

    /** This sample with the complaints {@code more} after its own. */
    public Sample withComplaints(List<String> more) {
        List<String> all = Stream.concat(complaints.stream(), more.stream()).toList();
        return new Sample(fork, round, operations, units, wallSeconds, client, server, memory, details, seconds, all);
    }

    /** This sample with the events of each second. */
    public Sample withSeconds(List<ProgressEvent.Second> events) {
        return new Sample(
                fork, round, operations, units, wallSeconds, client, server, memory, details, events, complaints);
    }

    public boolean isCounted() {
        return round > 0;
    }

    public double perSecond() {
        return operations / wallSeconds;
    }

    /**
     * Heap and garbage collection of one round.
     *
     * @param heapPeakBytes largest used heap after a collection or at the end of the round
     * @param collections number of collections
     * @param collectionSeconds time in collections
     */
    public record MemoryUse(long heapPeakBytes, long collections, double collectionSeconds) {}
}
