// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.client.CommandListener;
import io.millrace.client.RedisUri;

/** Creates a listener for the commands of the client, when the address of the server is known. */
@FunctionalInterface
interface ListenerFactory {

    CommandListener listener(RedisUri uri);
}
