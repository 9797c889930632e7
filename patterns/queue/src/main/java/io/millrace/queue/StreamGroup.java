// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

/**
 * The stream and the group that a worker reads. All keys are in one hash slot.
 *
 * @param from the ID after which a new group begins to read
 * @param minEntries the minimum number of entries that trimming keeps. A negative number disables trimming
 * @param maxDead the maximum number of dead letters
 */
record StreamGroup(String stream, String group, String from, long minEntries, long maxDead) {

    String deadLetters() {
        return KeyNames.additional(stream, "dead");
    }

    /** The string that exists while the queue is paused. */
    String paused() {
        return KeyNames.additional(stream, "paused");
    }

    /** The key that exists while a live worker uses a name. */
    String lease(String worker) {
        return KeyNames.additional(stream, "lease:" + group + ":" + worker);
    }

    /** The hash of the counters of the queue. */
    String counts() {
        return KeyNames.additional(stream, "counts");
    }

    /** The hash of the failed attempts and the due times: the fields are the IDs of entries that have failed. */
    String failures() {
        return KeyNames.additional(stream, "failures:" + group);
    }
}
