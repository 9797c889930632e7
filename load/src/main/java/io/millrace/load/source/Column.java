// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

/**
 * A column of a source.
 *
 * @param name name as in the header or in the database
 */
public record Column(String name) {}
