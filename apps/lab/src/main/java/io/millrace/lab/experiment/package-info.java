// SPDX-License-Identifier: Apache-2.0
/** What the lab finds out, one file for each experiment. */
@NullMarked
package io.millrace.lab.experiment;

import org.jspecify.annotations.NullMarked;
