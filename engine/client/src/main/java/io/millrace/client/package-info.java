// SPDX-License-Identifier: Apache-2.0

/** The client: a command is a value, and every command that is submitted ends in exactly one outcome. */
@NullMarked
package io.millrace.client;

import org.jspecify.annotations.NullMarked;
