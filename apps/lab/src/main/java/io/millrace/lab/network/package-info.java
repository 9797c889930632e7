// SPDX-License-Identifier: Apache-2.0

/** A network that is farther away than this machine: {@link io.millrace.lab.network.LatencyProxy}. */
@NullMarked
package io.millrace.lab.network;

import org.jspecify.annotations.NullMarked;
