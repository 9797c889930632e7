// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

/** How to reach a server and how to treat it. */
public record ClientOptions(RedisUri uri) {}
