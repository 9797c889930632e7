// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks.fs2

import cats.effect.IO
import cats.effect.unsafe.IORuntime
import scala.concurrent.Await
import scala.concurrent.duration.Duration
import scala.util.Using
import scala.util.Using.Releasable

/** Runs effects for callers who know threads only. */
private[fs2] object Runtimes:

  private given Releasable[IORuntime] = _.shutdown()

  /**
   * Runs the program and blocks until it is done. It has a runtime of the default kind for itself, whose threads end with
   * it: the global one would live as long as the JVM. An interrupt ends both.
   */
  def run(program: IO[Unit]): Unit =
    Using.resource(IORuntime.builder().build()) { runtime =>
      Await.result(program.unsafeToFuture()(using runtime), Duration.Inf)
    }
