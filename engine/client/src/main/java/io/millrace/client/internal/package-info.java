// SPDX-License-Identifier: Apache-2.0
/** Sockets, threads and rings: what the public types of the client stand on. Not for use from outside. */
@NullMarked
package io.millrace.client.internal;

import org.jspecify.annotations.NullMarked;
