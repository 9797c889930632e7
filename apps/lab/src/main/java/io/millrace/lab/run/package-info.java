// SPDX-License-Identifier: Apache-2.0

/** The harness: contenders take turns, whole processes and warm JVMs are measured, and what they left is checked. */
@NullMarked
package io.millrace.lab.run;

import org.jspecify.annotations.NullMarked;
