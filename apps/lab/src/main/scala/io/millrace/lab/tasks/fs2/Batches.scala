// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks.fs2

import cats.effect.IO
import cats.syntax.all.*

/** Batch by batch, with no buffer between producers and consumers. */
private[fs2] object Batches:

  /** Has a batch fetched by each producer, then all their tasks consumed, then the next batches fetched, and so on. */
  def batchByBatch(scenario: ScenarioEffects): IO[Unit] =
    scenario.rounds.traverse_ { round =>
      round
        .parTraverse(scenario.fetch)
        .map(_.flatMap(_.toList))
        .flatMap(IO.parTraverseN_(scenario.consumers)(_)(scenario.consume))
    }
