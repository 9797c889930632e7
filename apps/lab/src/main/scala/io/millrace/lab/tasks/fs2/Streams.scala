// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks.fs2

import cats.effect.IO

/** A stream from the producers, joined where there are several, through a parallel map. */
private[fs2] object Streams:

  /** Results come in the order of the tasks, so a slow task holds back those after it; the next batch is fetched when the last is started. */
  def ordered(scenario: ScenarioEffects): IO[Unit] =
    scenario.tasks.parEvalMap(scenario.consumers)(scenario.consume).compile.drain

  /** The same with a batch fetched ahead. */
  def orderedPrefetch(scenario: ScenarioEffects): IO[Unit] =
    scenario.tasks.prefetch.parEvalMap(scenario.consumers)(scenario.consume).compile.drain

  /** Results come as they are ready, so no task waits for another; batches are fetched ahead. */
  def unordered(scenario: ScenarioEffects): IO[Unit] =
    scenario.tasks.prefetchN(Buffer.Batches).parEvalMapUnordered(scenario.consumers)(scenario.consume).compile.drain
