// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import java.util.Map;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/** The answers of {@link MillraceLoadsEndpoint} over HTTP: a job that cannot begin is a conflict (409), with the reason. */
@EndpointWebExtension(endpoint = MillraceLoadsEndpoint.class)
final class MillraceLoadsWebExtension {

    private final MillraceLoadsEndpoint endpoint;

    MillraceLoadsWebExtension(MillraceLoadsEndpoint endpoint) {
        this.endpoint = endpoint;
    }

    /** Starts a job, or joins its current run. Does not wait for its end. */
    @WriteOperation
    WebEndpointResponse<Object> start(@Selector String job) {
        try {
            LoadView view = endpoint.start(job);
            return view == null
                    ? new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND)
                    : new WebEndpointResponse<>(view);
        } catch (IllegalStateException refused) { // an earlier run is blocked, or the application shuts down
            return new WebEndpointResponse<>(Map.of("problem", String.valueOf(refused.getMessage())), 409);
        }
    }
}
