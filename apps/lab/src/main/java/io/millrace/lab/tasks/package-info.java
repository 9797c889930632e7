// SPDX-License-Identifier: Apache-2.0
/** Task processing: producers that wait for batches, consumers that wait for each task, and the libraries between. */
@NullMarked
package io.millrace.lab.tasks;

import org.jspecify.annotations.NullMarked;
