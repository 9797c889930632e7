// SPDX-License-Identifier: Apache-2.0

/** Shared connections: submissions, the window, the sending role, and the wires that they use. */
@NullMarked
package io.millrace.client.internal.shared;

import org.jspecify.annotations.NullMarked;
