// SPDX-License-Identifier: Apache-2.0
/** What a Redis Cluster costs, beside one server and other clients. */
@NullMarked
package io.millrace.lab.cluster;

import org.jspecify.annotations.NullMarked;
