// SPDX-License-Identifier: Apache-2.0
/** Medians with intervals, ratios with intervals, and the verdicts about limits. */
@NullMarked
package io.millrace.lab.statistics;

import org.jspecify.annotations.NullMarked;
