// SPDX-License-Identifier: Apache-2.0

/** Fusion: sends one command in place of several adjacent commands, and splits its reply. */
@NullMarked
package io.millrace.client.internal.fusion;

import org.jspecify.annotations.NullMarked;
