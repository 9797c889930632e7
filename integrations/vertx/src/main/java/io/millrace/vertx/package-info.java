// SPDX-License-Identifier: Apache-2.0

/** The Redis client on event loops of Vert.x. {@link io.millrace.vertx.VertxRedis} is the entry point. */
@NullMarked
package io.millrace.vertx;

import org.jspecify.annotations.NullMarked;
