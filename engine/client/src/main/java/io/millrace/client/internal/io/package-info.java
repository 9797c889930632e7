// SPDX-License-Identifier: Apache-2.0

/** The threads and buffers of one connection. */
@NullMarked
package io.millrace.client.internal.io;

import org.jspecify.annotations.NullMarked;
