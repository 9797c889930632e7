// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

/**
 * A match of a {@link GeoSearch}.
 *
 * @param member text or bytes
 * @param metres distance from the centre of the search
 * @param position position of the member, accurate to about half a metre
 */
public record GeoMatch<T>(T member, double metres, GeoPosition position) {}
