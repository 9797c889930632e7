// SPDX-License-Identifier: Apache-2.0

/** The server: caches, bitmaps and loads over HTTP. {@link io.millrace.server.Server} starts it. */
@NullMarked
package io.millrace.server;

import org.jspecify.annotations.NullMarked;
