// SPDX-License-Identifier: Apache-2.0

/** Fusion: one command in place of several adjacent commands, and the division of its reply. */
@NullMarked
package io.millrace.client.internal.fusion;

import org.jspecify.annotations.NullMarked;
