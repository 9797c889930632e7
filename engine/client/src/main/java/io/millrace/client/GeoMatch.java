// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

/**
 * A member that a search has found.
 *
 * @param member text or bytes
 * @param metres from the centre of the search
 * @param position where it is, to about half a metre
 */
public record GeoMatch<T>(T member, double metres, GeoPosition position) {}
