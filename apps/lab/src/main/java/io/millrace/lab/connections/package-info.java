// SPDX-License-Identifier: Apache-2.0
/** Experiments with single commands and pipelines: connections, calls, sends, pipelines, latency. */
@NullMarked
package io.millrace.lab.connections;

import org.jspecify.annotations.NullMarked;
