// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.api;

import java.time.Duration;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The keys {@code millrace.server.values.*}.
 *
 * @param ttl Time to live of a value.
 * @param computation Time that the computation of a value takes, unless a bean of type ValueSource computes.
 * @param timeout Maximum time of a request for a value.
 * @param staleFor Time after expiry during which a stale value is served while a new one is computed.
 * @param lease Time without renewal after which another server may compute a value. Zero: each server computes.
 * @param nearEntries Maximum number of values in the memory of this process. Zero: none.
 */
public record ValueKeys(
        @DefaultValue("10s") Duration ttl,
        @DefaultValue("5s") Duration computation,
        @DefaultValue("15s") Duration timeout,
        @DefaultValue("0s") Duration staleFor,
        @DefaultValue("0s") Duration lease,
        @DefaultValue("0") long nearEntries) {}
