// SPDX-License-Identifier: Apache-2.0

/** The Redis client. A command is a value, and every submitted command has exactly one outcome. */
@NullMarked
package io.millrace.client;

import org.jspecify.annotations.NullMarked;
