// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

/** The order of the rows of a source, from the most certain order to the least certain one. */
public enum RowOrder {
    /** The rows have the same order each time the source is opened, as long as its data do not change. */
    STABLE,

    /**
     * The rows of one opening come in the order in which the source returns its rows. Another opening may have another order,
     * as with a query without an order.
     */
    AS_READ,

    /** Several parts of the source are read at once: a row of any part may come last. */
    NONE
}
