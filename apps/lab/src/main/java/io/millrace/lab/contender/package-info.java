// SPDX-License-Identifier: Apache-2.0

/** Who does it: one file each, named in the workloads that it enters. */
@NullMarked
package io.millrace.lab.contender;

import org.jspecify.annotations.NullMarked;
