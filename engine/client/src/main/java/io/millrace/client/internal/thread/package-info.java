// SPDX-License-Identifier: Apache-2.0

/** The threads of the client. */
@NullMarked
package io.millrace.client.internal.thread;

import org.jspecify.annotations.NullMarked;
