// SPDX-License-Identifier: Apache-2.0
/** The memory that small pairs take on the server. */
@NullMarked
package io.millrace.lab.memory;

import org.jspecify.annotations.NullMarked;
