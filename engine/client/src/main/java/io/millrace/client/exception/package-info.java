// SPDX-License-Identifier: Apache-2.0

/** The exceptions of the client. Each exception shows whether the command may have been executed. */
@NullMarked
package io.millrace.client.exception;

import org.jspecify.annotations.NullMarked;
