// SPDX-License-Identifier: Apache-2.0

/** The filter that decides about each request before any route: host, token, origin and size. */
@NullMarked
package io.millrace.server.gate;

import org.jspecify.annotations.NullMarked;
