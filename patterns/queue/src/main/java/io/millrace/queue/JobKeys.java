// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

/** The keys of a {@link JobQueue}. All keys are in one hash slot. */
record JobKeys(String waiting) {

    JobKeys {
        String unused = KeyNames.additional(waiting, ""); // throws an exception if the key is invalid
    }

    /** The sorted set of the jobs that are not due. The score is the time in ms at which the job is due. */
    String delayed() {
        return KeyNames.additional(waiting, "delayed");
    }

    /** The list of the jobs whose worker died. */
    String suspects() {
        return KeyNames.additional(waiting, "suspects");
    }

    /** The list of the jobs that a worker runs. */
    String taken(String worker) {
        return KeyNames.additional(waiting, "taken:" + worker);
    }

    /** The sorted set of the workers. {@link WorkerScripts} describes the scores. */
    String workers() {
        return KeyNames.additional(waiting, "workers");
    }

    String dead() {
        return KeyNames.additional(waiting, "dead");
    }

    /** The string that exists while the queue is paused. */
    String paused() {
        return KeyNames.additional(waiting, "paused");
    }

    /** The hash of the counters. */
    String counts() {
        return KeyNames.additional(waiting, "counts");
    }

    /** The hash of the definitions of recurring jobs. */
    String recurring() {
        return KeyNames.additional(waiting, "recurring");
    }

    /** The sorted set of the names of recurring jobs. The score is the time in ms at which the job is due. */
    String recurringDue() {
        return KeyNames.additional(waiting, "recurring-due");
    }

    /** The hash of the elements that were pushed last for the recurring jobs. */
    String recurringLast() {
        return KeyNames.additional(waiting, "recurring-last");
    }
}
