// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.frameworks;

import io.millrace.lab.bulk.RowData;

/**
 * A load that a request starts, and whose events are sent to listeners.
 *
 * @param listeners number of event streams, 1 or more. The first listener never reads
 */
public record ListenedLoad(RowData rows, int listeners) {}
