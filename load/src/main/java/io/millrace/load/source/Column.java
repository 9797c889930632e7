// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

/**
 * A column of a source.
 *
 * @param name as the header or the database spells it
 */
public record Column(String name) {}
