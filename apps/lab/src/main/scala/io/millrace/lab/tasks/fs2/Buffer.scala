// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks.fs2

/** How far producers may be ahead of consumers. */
private[fs2] object Buffer:

  /** Tasks: as many as in the buffers of the other libraries. */
  val Tasks = 1_000

  /** Batches that a stream may have fetched ahead. */
  val Batches = 10
