// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import java.util.OptionalDouble;
import java.util.OptionalLong;

/** The size of a source, for the progress of a reading. Any thread. */
interface SourceSize {

    /** The exact number of rows; empty if it is unknown. */
    OptionalLong exact();

    /** The share of the source that has been read after {@code rows} rows; empty if the size is unknown. */
    OptionalDouble share(long rows);
}
