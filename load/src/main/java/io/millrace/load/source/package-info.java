// SPDX-License-Identifier: Apache-2.0
/** Sources of rows: files and databases, read in bounded memory. */
@NullMarked
package io.millrace.load.source;

import org.jspecify.annotations.NullMarked;
