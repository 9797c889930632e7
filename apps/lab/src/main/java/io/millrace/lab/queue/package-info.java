// SPDX-License-Identifier: Apache-2.0
/** Job queues: how fast jobs are done, how soon a job begins, and what a killed worker costs. */
@NullMarked
package io.millrace.lab.queue;

import org.jspecify.annotations.NullMarked;
