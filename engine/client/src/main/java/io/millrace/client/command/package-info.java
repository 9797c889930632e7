// SPDX-License-Identifier: Apache-2.0

/** Commands as values: factories for each data type, their options, and the conversion of their replies. */
@NullMarked
package io.millrace.client.command;

import org.jspecify.annotations.NullMarked;
