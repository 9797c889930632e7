// SPDX-License-Identifier: Apache-2.0
/** The workloads on bits: how they get to the server, what is asked of a month of them, and what sparse ones take. */
@NullMarked
package io.millrace.lab.bitmaps;

import org.jspecify.annotations.NullMarked;
