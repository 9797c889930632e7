// SPDX-License-Identifier: Apache-2.0

/**
 * The Redis client. A command is an object that can be submitted any number of times. Every submitted command has
 * exactly one outcome.
 */
@NullMarked
package io.millrace.client;

import org.jspecify.annotations.NullMarked;
