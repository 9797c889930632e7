// SPDX-License-Identifier: Apache-2.0

/**
 * Commands as objects: the factories of commands for each data type, the options of commands, and the conversion of
 * replies.
 */
@NullMarked
package io.millrace.client.command;

import org.jspecify.annotations.NullMarked;
