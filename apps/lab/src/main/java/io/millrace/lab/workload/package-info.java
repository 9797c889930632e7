// SPDX-License-Identifier: Apache-2.0

/** What is to be done: one file each, named in {@link io.millrace.lab.Workloads}. */
@NullMarked
package io.millrace.lab.workload;

import org.jspecify.annotations.NullMarked;
