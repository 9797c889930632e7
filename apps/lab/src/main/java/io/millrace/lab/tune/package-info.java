// SPDX-License-Identifier: Apache-2.0
/** Sweeps settings of each library, and recommends settings. */
@NullMarked
package io.millrace.lab.tune;

import org.jspecify.annotations.NullMarked;
