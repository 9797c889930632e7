// SPDX-License-Identifier: Apache-2.0
/** The Redis server that contenders work with: its start, its keys, its statistics. */
@NullMarked
package io.millrace.lab.server;

import org.jspecify.annotations.NullMarked;
