// SPDX-License-Identifier: Apache-2.0

/** Tests of the adapter for Vert.x against a real Redis server. */
@NullMarked
package io.millrace.vertx;

import org.jspecify.annotations.NullMarked;
