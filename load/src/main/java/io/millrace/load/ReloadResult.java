// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import java.util.Optional;

/**
 * How the new data of a load has replaced the old data.
 *
 * @param swapped number of keys that were replaced by their shadow keys
 * @param pruned number of keys that were removed, because the job does not write them any more
 * @param foreign number of keys that were not removed, because they now have another type
 * @param obstacle why nothing was swapped or removed, as a sentence; empty if the data was replaced
 * @param pending whether the replacement has begun and was not completed. The next run of the job completes the
 *     replacement. The numbers are then zero, because they are not known
 */
public record ReloadResult(long swapped, long pruned, long foreign, Optional<String> obstacle, boolean pending) {

    private static final String LOAD_INCOMPLETE = "the load did not complete";

    /** Old data that was replaced. */
    public ReloadResult(long swapped, long pruned, long foreign) {
        this(swapped, pruned, foreign, Optional.empty(), false);
    }

    static ReloadResult prevented(String obstacle) {
        return new ReloadResult(0, 0, 0, Optional.of(obstacle), false);
    }

    /** Old data that stays, because the load was stopped or did not succeed. */
    static ReloadResult afterIncompleteLoad() {
        return prevented(LOAD_INCOMPLETE);
    }

    static ReloadResult begun() {
        return new ReloadResult(0, 0, 0, Optional.empty(), true);
    }

    /** Whether the rows were loaded completely, so that only the replacement can have failed. */
    public boolean loadCompleted() {
        return !obstacle.equals(Optional.of(LOAD_INCOMPLETE));
    }
}
