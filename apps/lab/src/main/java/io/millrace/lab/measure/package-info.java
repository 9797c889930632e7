// SPDX-License-Identifier: Apache-2.0
/** Runs experiments: worker JVMs and processes, rounds, samples, and the environment of a run. */
@NullMarked
package io.millrace.lab.measure;

import org.jspecify.annotations.NullMarked;
