// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import io.millrace.server.api.ValueKeys;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The keys {@code millrace.server.*}. An unknown key fails the start.
 *
 * @param tokenFile File whose first line is the token. Without this key, the variable MILLRACE_SERVER_TOKEN has the token.
 * @param allowedHosts Names besides those of loopback that the header Host may have.
 * @param data Folder of the load log. Without a folder, a restart forgets the loads.
 * @param showValues Whether entries of caches are shown with their values, and rejected rows with their messages.
 * @param values Keys of the values below /value.
 */
@ConfigurationProperties(prefix = ServerKeys.PREFIX, ignoreUnknownFields = false)
record ServerKeys(
        @Nullable Path tokenFile,
        @DefaultValue List<String> allowedHosts,
        @Nullable Path data,
        @DefaultValue("false") boolean showValues,
        @NestedConfigurationProperty @DefaultValue ValueKeys values) {

    static final String PREFIX = "millrace.server";
}
