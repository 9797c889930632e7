// SPDX-License-Identifier: Apache-2.0

/** Time: the injected clock and the timekeeper. */
@NullMarked
package io.millrace.client.internal.time;

import org.jspecify.annotations.NullMarked;
