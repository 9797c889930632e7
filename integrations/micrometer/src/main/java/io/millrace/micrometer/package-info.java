// SPDX-License-Identifier: Apache-2.0

/**
 * Meters of clients, caches and loads, which are read when a registry is scraped; and timers and spans of single
 * commands, which are off unless a client has their listeners.
 */
@NullMarked
package io.millrace.micrometer;

import org.jspecify.annotations.NullMarked;
