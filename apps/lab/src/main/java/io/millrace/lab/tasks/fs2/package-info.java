// SPDX-License-Identifier: Apache-2.0
/** Task processing in fs2 with cats-effect, the libraries of the reference measurement. Written in Scala. */
@NullMarked
package io.millrace.lab.tasks.fs2;

import org.jspecify.annotations.NullMarked;
