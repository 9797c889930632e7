// SPDX-License-Identifier: Apache-2.0
/** Targets: how rows become keys, values and commands, and how they are read back and checked. */
@NullMarked
package io.millrace.load.target;

import org.jspecify.annotations.NullMarked;
