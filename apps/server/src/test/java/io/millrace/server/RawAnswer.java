// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * An answer of the server, read from the socket.
 *
 * @param headers values by the names of the headers in lower case
 */
record RawAnswer(int status, Map<String, List<String>> headers, String body) {

    Optional<String> header(String name) {
        return Optional.ofNullable(headers.get(name.toLowerCase(Locale.ROOT))).map(List::getFirst);
    }

    String contentType() {
        return header("content-type").orElse("");
    }
}
