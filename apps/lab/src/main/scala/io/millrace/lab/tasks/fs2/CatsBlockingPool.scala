// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks.fs2

import cats.effect.IO
import cats.effect.unsafe.IORuntime
import io.millrace.lab.tasks.BlockingPool
import java.util.concurrent.ConcurrentLinkedQueue
import scala.concurrent.Await
import scala.concurrent.Future
import scala.concurrent.duration.Duration

/** Runs each task with IO.blocking on a default runtime of cats-effect. */
final class CatsBlockingPool extends BlockingPool:

  private val runtime = IORuntime.builder().build()
  private val started = ConcurrentLinkedQueue[Future[Unit]]()

  override def start(task: Runnable): Unit =
    started.add(IO.blocking(task.run()).unsafeToFuture()(using runtime))
    ()

  override def close(): Unit =
    try started.forEach(future => Await.result(future, Duration.Inf))
    finally runtime.shutdown()
