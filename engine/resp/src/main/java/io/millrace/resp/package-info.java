// SPDX-License-Identifier: Apache-2.0

/** Encodes requests and decodes replies of RESP2 and RESP3, without sockets, threads or clocks. */
@NullMarked
package io.millrace.resp;

import org.jspecify.annotations.NullMarked;
