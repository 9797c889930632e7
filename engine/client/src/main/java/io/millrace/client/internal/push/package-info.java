// SPDX-License-Identifier: Apache-2.0

/** Connections over which the server sends pushes: subscriptions and tracking. */
@NullMarked
package io.millrace.client.internal.push;

import org.jspecify.annotations.NullMarked;
