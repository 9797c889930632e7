// SPDX-License-Identifier: Apache-2.0

/** Loading: rows of a source become commands, commands become a closed account. */
@NullMarked
package io.millrace.load;

import org.jspecify.annotations.NullMarked;
