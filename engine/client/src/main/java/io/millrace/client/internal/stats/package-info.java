// SPDX-License-Identifier: Apache-2.0

/** Counters and Flight Recorder events. */
@NullMarked
package io.millrace.client.internal.stats;

import org.jspecify.annotations.NullMarked;
