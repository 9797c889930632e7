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
 */
public record ReloadResult(long swapped, long pruned, long foreign, Optional<String> obstacle) {

    static ReloadResult prevented(String obstacle) {
        return new ReloadResult(0, 0, 0, Optional.of(obstacle));
    }
}
