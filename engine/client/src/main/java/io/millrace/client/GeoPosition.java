// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

/**
 * A place on earth, as far as the server knows it: without the poles.
 *
 * @param longitude in degrees east, -180 to 180
 * @param latitude in degrees north, -85.05112878 to 85.05112878
 */
public record GeoPosition(double longitude, double latitude) {

    private static final double NORTHERNMOST = 85.05112878;

    public GeoPosition {
        Ranges.check("longitude", longitude, -180.0, 180.0);
        Ranges.check("latitude", latitude, -NORTHERNMOST, NORTHERNMOST);
    }
}
