// SPDX-License-Identifier: Apache-2.0

/** The loader: reads rows from a source, writes them to Redis, and reports the outcome of every row. */
@NullMarked
package io.millrace.load;

import org.jspecify.annotations.NullMarked;
