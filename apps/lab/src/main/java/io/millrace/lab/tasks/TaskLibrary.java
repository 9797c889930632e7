// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

import java.util.EnumMap;
import java.util.Map;

/**
 * A library and its approaches.
 *
 * @param name as in reports, such as {@code fs2}
 * @param documentation address of the page that the approaches follow
 * @param approaches a library need not have an approach for each mode
 */
record TaskLibrary(String name, String documentation, Map<ApproachMode, Described> approaches) {

    TaskLibrary {
        approaches = new EnumMap<>(approaches);
    }

    /**
     * An approach and its note.
     *
     * @param note calls and settings
     */
    record Described(Approach approach, String note) {}
}
