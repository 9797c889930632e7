// SPDX-License-Identifier: Apache-2.0

/** RESP2 and RESP3: bytes to values and back, without sockets, threads or clocks. */
@NullMarked
package io.millrace.resp;

import org.jspecify.annotations.NullMarked;
