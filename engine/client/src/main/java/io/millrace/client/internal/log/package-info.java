// SPDX-License-Identifier: Apache-2.0

/** The log of the client. */
@NullMarked
package io.millrace.client.internal.log;

import org.jspecify.annotations.NullMarked;
