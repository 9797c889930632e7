// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import io.millrace.client.internal.range.Ranges;

/**
 * A position on earth, in the range that the server supports, which excludes the poles.
 *
 * @param longitude degrees east, -180 to 180
 * @param latitude degrees north, -85.05112878 to 85.05112878
 */
public record GeoPosition(double longitude, double latitude) {

    private static final double MAX_LATITUDE = 85.05112878;

    public GeoPosition {
        Ranges.check("longitude", longitude, -180.0, 180.0);
        Ranges.check("latitude", latitude, -MAX_LATITUDE, MAX_LATITUDE);
    }
}
