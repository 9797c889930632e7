// SPDX-License-Identifier: Apache-2.0

/**
 * Encodes requests and decodes replies of RESP2 and RESP3. This package opens no sockets, starts no threads and reads
 * no clocks.
 */
@NullMarked
package io.millrace.resp;

import org.jspecify.annotations.NullMarked;
