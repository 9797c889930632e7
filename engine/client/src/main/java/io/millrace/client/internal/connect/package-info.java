// SPDX-License-Identifier: Apache-2.0

/** Opening and replacing connections: transports, TLS, the handshake, the backoff. */
@NullMarked
package io.millrace.client.internal.connect;

import org.jspecify.annotations.NullMarked;
