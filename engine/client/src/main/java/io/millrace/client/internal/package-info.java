// SPDX-License-Identifier: Apache-2.0
/** Sockets, threads and rings behind the public types of the client. Not for use outside the client. */
@NullMarked
package io.millrace.client.internal;

import org.jspecify.annotations.NullMarked;
